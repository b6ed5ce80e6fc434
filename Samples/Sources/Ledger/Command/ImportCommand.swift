import ArgumentParser
import Foundation

/// `ledger import`.
struct ImportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Posts what a CSV file holds: all of it, or nothing.",
    discussion: """
      The first line names the columns: reference, date, description, account, amount and currency, in any order. Each \
      further line is an entry. Lines that follow each other and have the same reference make a posting, which has to \
      balance. A reference that has been posted before is refused, and so is a file that is imported twice.
      """)

  @OptionGroup var options: FileOptions

  @Argument(help: "The CSV file.")
  var csv: String

  func answer() throws -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: csv))
    } catch {
      throw LedgerError(.inaccessible, "\(csv) can't be read: \(error.localizedDescription)")
    }
    let table = try CSVTable(data, file: csv)
    let postings = try options.file.change { open in
      let postings = try Statement(table, posted: open.books.journal.references).postings
      if !postings.isEmpty { try open.perform(.post(postings: postings)) }
      return postings
    }
    return "Posted \(postings.count) postings of \(csv).\n"
  }
}
