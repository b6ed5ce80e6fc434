import ArgumentParser
import AsyncStorePersistence
import Foundation

/// `ledger feed`.
struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed",
    abstract: "Posts what another program writes, line by line.",
    discussion: """
      Each line of the standard input is a posting: {"date":"2026-01-31","description":"Coffee","entries":["Expenses:Food \
      3.50 EUR","Assets:Cash -3.50 EUR"]}, and "reference" and "comment" if it has them. It is answered with its number once it is safe. \
      The first line that is refused ends the program; those before it stay posted.
      """)

  @OptionGroup var options: FileOptions

  /// The most lines that are made safe at once; that takes milliseconds for any number.
  private static let limit = 64

  func run() throws {
    try options.file.change { open in
      var number = 0
      var lines = InputLines()
      while true {
        let (waiting, unreadable) = Self.next(of: &lines)
        if waiting.isEmpty, unreadable == nil { return }
        let (count, failure) = try Self.post(waiting, after: number, to: open)
        let answer = (0..<count).map { "\(number + $0 + 1)\n" }.joined()
        number += count
        let refusal = failure ?? unreadable
        let deed = "Posted the first \(number) lines." + (refusal.map { " \($0)" } ?? "")
        try StandardStreams.write(answer, onDoing: deed)
        if let refusal { throw refusal }
      }
    }
  }

  /// Waits for a line, and takes the lines that wait behind it.
  ///
  /// - Returns: the lines, none at the end, and the reason why the next one can't be read.
  private static func next(of lines: inout InputLines) -> ([String], LedgerError?) {
    var waiting: [String] = []
    do throws(LedgerError) {
      while waiting.isEmpty || (waiting.count < limit && lines.hasNext), let line = try lines.next() {
        waiting.append(line)
      }
      return (waiting, nil)
    } catch {
      return (waiting, error)
    }
  }

  /// Posts lines, up to the first that is refused.
  ///
  /// - Parameter number: the number of lines before these.
  /// - Returns: the number of lines that were posted, which are safe now, and the reason why the next one was refused.
  static func post(_ lines: [String], after number: Int, to open: OpenBooks) throws -> (Int, LedgerError?) {
    var changes: [JournalAction.Change] = []
    var unreadable: (any Error)?
    do {
      for line in lines { changes.append(try change(line)) }
    } catch {
      unreadable = error
    }
    let (count, refusal) = try open.perform(changes)
    switch refusal ?? unreadable {
    case nil: return (count, nil)
    case let error as LedgerError:
      return (count, LedgerError(error.code, "Line \(number + count + 1): \(error.reason)"))
    case let error?:
      return (count, LedgerError(.malformed, "Line \(number + count + 1) is not a posting: \(error)"))
    }
  }

  private static func change(_ line: String) throws -> JournalAction.Change {
    // Foundation's decoder would choose one of two values with the same key.
    let document = try JSONValue(data: Data(line.utf8))
    if case .object(let members) = document { try Posting.checkKeys(members.keys.map(\.text)) }
    let posting = try document.decoded(as: Posting.self)
    for entry in posting.entries { try entry.account.checkCostless() }
    try posting.checkPrintable()
    return .post(postings: [posting])
  }
}
