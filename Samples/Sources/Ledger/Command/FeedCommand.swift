import ArgumentParser
import Foundation

/// `ledger feed`.
struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed",
    abstract: "Posts what another program writes, line by line.",
    discussion: """
      Each line of the standard input is a posting: {"date":"2026-01-31","description":"Coffee","entries":["Expenses:Food \
      3.50 EUR","Assets:Cash -3.50 EUR"]}, and "reference" if it has one. It is answered with its number once it is safe. \
      The first line that is refused ends the program; those before it stay posted.
      """)

  @OptionGroup var options: FileOptions

  func run() throws {
    try options.file.change { open in
      var number = 0
      var lines = InputLines()
      while let line = try lines.next() {
        number += 1
        try Self.post(line, number, to: open)
        try StandardStreams.write("\(number)\n")
      }
    }
  }

  static func post(_ line: String, _ number: Int, to open: OpenBooks) throws {
    do {
      let posting = try JSONDecoder().decode(Posting.self, from: Data(line.utf8))
      try posting.checkPrintable()
      try open.perform(.post(postings: [posting]))
    } catch let error as LedgerError {
      throw LedgerError(error.code, "Line \(number): \(error.reason)")
    } catch let error as DecodingError {
      throw LedgerError(.malformed, "Line \(number) is not a posting: \(error)")
    }
  }
}
