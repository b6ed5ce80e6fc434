import ArgumentParser
import Foundation

/// `ledger import`.
struct ImportCommand: ChangingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Posts what a CSV file or an hledger journal holds: all of it, or nothing.",
    discussion: """
      The first line of a CSV file names the columns: reference, date, description, account, amount and currency, in any \
      order. Each further line is an entry. Lines that follow each other and have the same reference make a posting, \
      which has to balance. A reference that has been posted before is refused, and so a file that is imported twice.

      Of hledger's journal format it reads transactions with a date, a status, a code, a description (or none), \
      comments, accounts, amounts and costs (@ and @@); one amount of a transaction may be missing. The code is the \
      reference; transactions without one are posted again by a second import. A cost becomes two further entries, as \
      'hledger print --infer-equity' shows them. Statuses, prices (P), and the directives account, commodity, payee \
      and tag are passed over. Two spaces or tabs end the name of an account. Anything else is refused: a single tab \
      behind a name, which hledger reads as a part of it, secondary dates, dates of entries, dates without a year, \
      virtual postings, balance assertions, costs that are left to be inferred, amounts without a commodity, decimal \
      commas, periodic and automated transactions, other directives.
      """)

  /// The format of a file.
  enum Format: String, CaseIterable, ExpressibleByArgument { case csv, hledger }

  @OptionGroup var options: FileOptions

  @Option(help: "By default csv, and hledger for a file whose name ends in .journal, .hledger, .ledger or .j.")
  var format: Format?

  @Argument(help: "The file; - or /dev/stdin is the standard input.")
  var path: String

  func answer() throws -> String {
    let text = try InputText.read(path)
    // If there is no ledger, none is made for a text that is refused, or has nothing to post.
    let first = try options.file.exists ? nil : postings(text, posted: [])
    let count = try first?.isEmpty == true ? 0 : post(text, first)
    return "Posted \(count) postings of \(path).\n"
  }

  /// - Parameter first: the postings if nothing has been posted before, if they are known.
  /// - Returns: the number of postings.
  private func post(_ text: String, _ first: [Posting]?) throws -> Int {
    try options.file.change { open in
      let posted = open.books.journal.references
      let postings = try (open.books.log.count == 0 ? first : nil) ?? postings(text, posted: posted)
      if !postings.isEmpty { try open.perform(.post(postings: postings)) }
      return postings.count
    }
  }

  private func postings(_ text: String, posted: Set<Spelling>) throws(LedgerError) -> [Posting] {
    let isJournal = ["journal", "hledger", "ledger", "j"].contains(URL(filePath: path).pathExtension.lowercased())
    return switch format ?? (isJournal ? .hledger : .csv) {
    case .csv: try Statement(CSVTable(text, file: path), posted: posted).postings
    case .hledger: try HledgerJournal(text, file: path, posted: posted).postings
    }
  }
}
