import Foundation
import Testing

@testable import Ledger

@Suite("The program")
struct ProgramTests {
  let folder: Folder
  let ledger: Program

  init() throws {
    folder = try Folder()
    ledger = try Program(in: folder)
  }

  static func line(_ number: Int) -> String {
    #"{"date":"2026-01-31","description":"\#(number)","entries":["A 0.01 EUR","B -0.01 EUR"]}"# + "\n"
  }

  @Test("keeps a ledger from one run to the next")
  func session() throws {
    _ = try folder.write(
      """
      reference,date,description,account,amount,currency
      r,2026-01-05,Salary,Assets:Bank,2500.00,EUR
      r,2026-01-05,Salary,Income:Salary,-2500.00,EUR

      """, to: "bank.csv")
    #expect(try ledger("import", "bank.csv").output == "Posted 1 postings of bank.csv.\n")
    let again = try ledger("import", "bank.csv")
    #expect(again.code == 1)
    #expect(again.complaint == "ledger: bank.csv:2:1: \"r\" has been posted before.\n")
    #expect(again.output.isEmpty)
    #expect(try ledger("post", "2026-02-01", "Coffee", "Expenses:Food 3.50 EUR", "Assets:Bank -3.50 EUR").code == 0)
    #expect(try ledger("undo").output == "Took back: post \"Coffee\".\n")
    #expect(try ledger("balance").output == "Assets:Bank     2500.00  EUR\nIncome:Salary  -2500.00  EUR\n")
    #expect(try ledger("redo").code == 0)
    #expect(try ledger("balance", "Expenses").output == "Expenses:Food  3.50  EUR\nTotal          3.50  EUR\n")
    let audit = try ledger("audit")
    #expect(audit.code == 0)
    #expect(audit.output.hasPrefix("4 actions lead to every state they led to"))
    #expect(try ledger("--help").output.contains("USAGE: ledger <subcommand>"))
    #expect(try ledger("nonsense").code == 64)
  }

  @Test("says what is wrong with a ledger that it can't read, and leaves it as it is")
  func damaged() throws {
    #expect(try ledger("balance").code == 2)
    let path = try folder.write("not a ledger\n", to: "ledger.json")
    for command in ["balance", "undo"] {
      let result = try ledger(command)
      #expect(result.code == 2)
      #expect(result.complaint.hasPrefix("ledger: ledger.json is damaged") || result.complaint.contains("is damaged"))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a ledger\n")
  }

  @Test("lets one process at a time change a ledger")
  func locked() throws {
    let feed = try ledger.start("feed")
    try feed.input.fileHandleForWriting.write(contentsOf: Data(Self.line(1).utf8))
    #expect(feed.output.fileHandleForReading.availableData == Data("1\n".utf8))
    let result = try ledger("undo")
    #expect(result.code == 3)
    #expect(
      result.complaint
        == "ledger: ledger.json is being changed by another process. Try again when that one is done.\n")
    #expect(try ledger("balance").output == "A   0.01  EUR\nB  -0.01  EUR\n")
    #expect(try feed.end().code == 0)
    #expect(try ledger("undo").code == 0)
  }

  @Test("has every acknowledged posting when it was killed in the middle of many")
  func killed() throws {
    var generator = SplitMix64(seed: 2_026)
    var kept = 0
    for round in 1...30 {
      let feed = try ledger.start("feed")
      // Few enough for the pipe, too many to be posted before the end.
      let lines = (1...500).map(Self.line).joined()
      try feed.input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
      let count = Int.random(in: 1...10, using: &generator)
      var output = Data()
      while output.count(where: { $0 == UInt8(ascii: "\n") }) < count {
        let more = feed.output.fileHandleForReading.availableData
        try #require(!more.isEmpty, "round \(round): it ended by itself")
        output += more
      }
      // A moment of any length, to meet it anywhere between two acknowledgements.
      let end = ContinuousClock.now.advanced(by: .microseconds(Int.random(in: 0..<3_000, using: &generator)))
      while ContinuousClock.now < end {}
      kill(feed.process.processIdentifier, SIGKILL)
      output += feed.output.fileHandleForReading.readDataToEndOfFile()
      feed.process.waitUntilExit()
      #expect(feed.process.terminationReason == .uncaughtSignal, "round \(round): it ended by itself")

      let acknowledged = output.count { $0 == UInt8(ascii: "\n") }
      let books = try folder.ledger.books()
      let numbers = books.journal.postings.dropFirst(kept).map(\.description)
      #expect(numbers.count == acknowledged || numbers.count == acknowledged + 1, "round \(round)")
      #expect(numbers == (1...numbers.count).map(String.init), "round \(round)")
      try books.audit(books.log)
      kept = books.journal.postingCount
    }
    #expect(try ledger("audit").code == 0)
  }
}
