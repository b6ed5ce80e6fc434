import ArgumentParser
import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("The commands")
struct CommandTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  /// The answer of a command that is run in the folder.
  @discardableResult
  func ledger(_ arguments: String...) throws -> String {
    let file = arguments.isEmpty ? [] : ["--file", folder["ledger.books"]]
    let command = try LedgerCommand.parseAsRoot(arguments + file)
    return try #require(command as? any Subcommand).answer()
  }

  func post(_ cents: Int) throws {
    try ledger("post", "2026-01-31", "\(cents) cents", "Expenses:Food 0.0\(cents) EUR", "Assets:Cash -0.0\(cents) EUR")
  }

  @Test("`post`, `undo` and `redo` answer what they did")
  func session() throws {
    #expect(try ledger("post", "2026-01-31", "Coffee", "A 3.50 EUR", "B -3.50 EUR") == "Posted \"Coffee\".\n")
    #expect(try ledger("undo") == "Took back: post \"Coffee\".\n")
    #expect(try ledger("balance").isEmpty)
    #expect(try ledger("redo") == "Made again: post \"Coffee\".\n")
    #expect(try ledger("balance", "A") == "A      3.50  EUR\nTotal  3.50  EUR\n")
    #expect(
      try ledger("balance", "A", "--json")
        == #"{"accounts":[{"account":"A","amount":"3.50","currency":"EUR"}],"#
        + #""total":[{"account":"Total","amount":"3.50","currency":"EUR"}]}"# + "\n")
    #expect(
      try ledger("report", "--json")
        == #"{"months":["2026-01"],"rows":["#
        + #"{"account":"A","changes":{"2026-01":"3.50"},"currency":"EUR","total":"3.50"},"#
        + #"{"account":"B","changes":{"2026-01":"-3.50"},"currency":"EUR","total":"-3.50"}]}"# + "\n")
    #expect(
      try ledger("audit").hasPrefix("3 actions lead to every state they led to, and to the present one: 1 postings"))
  }

  @Test("`import` posts all of a file or nothing")
  func importing() throws {
    let rows = """
      reference,date,description,account,amount,currency
      r,2026-01-05,x,A,1,EUR
      r,2026-01-05,x,B,-1,EUR

      """
    let good = try folder.write(rows, to: "good.csv")
    let bad = try folder.write(rows.replacing("r,", with: "s,") + "t,2026-01-05,x,A,one,EUR\n", to: "bad.csv")
    try post(1)
    #expect(throws: LedgerError.self) { try ledger("import", bad) }
    #expect(try folder.ledger.books().log.count == 1)
    #expect(try ledger("import", good) == "Posted 1 postings of \(good).\n")
    let error = #expect(throws: LedgerError.self) { try ledger("import", good) }
    #expect(error?.description == "\(good):2:1: \"r\" has been posted before.")
    #expect(try ledger("undo") == "Took back: post \"x\".\n")
    #expect(try ledger("import", good) == "Posted 1 postings of \(good).\n")
    #expect(throws: LedgerError.self) { try ledger("import", folder["none.csv"]) }
  }

  @Test("A command that is refused or posts nothing creates no file and no folder")
  func refused() throws {
    let csv = try folder.write(
      "reference,date,description,account,amount,currency\nr,2026-01-05,x,A,one,EUR\n", to: "a.csv")
    let journal = try folder.write("2026-01-05 x\n a  $1\n b  $1\n", to: "a.journal")
    let nothing = try folder.write("; nothing\n", to: "b.journal")
    let before = try folder.names
    func run(_ arguments: [String]) throws -> String? {
      let command = try LedgerCommand.parseAsRoot(arguments + ["--file", folder["new/ledger.books"]])
      return try (command as? any Subcommand)?.answer()
    }
    for arguments in [
      ["import", csv], ["import", journal], ["import", folder["none.csv"]], ["undo"], ["balance"],
      ["post", "2026-01-05", "x", "A 1 EUR", "B 1 EUR"],
    ] {
      #expect(throws: LedgerError.self) { try run(arguments) }
      #expect(try folder.names == before, "\(arguments)")
    }
    #expect(try run(["import", nothing]) == "Posted 0 postings of \(nothing).\n")
    #expect(try folder.names == before)
  }

  @Test("`import` reads the example")
  func example() throws {
    let samples = URL(filePath: #filePath).appending(path: "../../..").standardized
    try ledger("import", samples.appending(path: "Examples/household.csv").path(percentEncoded: false))
    #expect(
      try ledger("balance", "Assets") == """
        Assets:Bank      2441.45  EUR
        Assets:Cash       105.10  EUR
        Assets:Cash:Yen    28850  JPY
        Total            2546.55  EUR
        Total              28850  JPY

        """)
  }

  @Test("`import` reads an hledger journal, and reads it again from the output of `print`")
  func journal() throws {
    #expect(
      try ledger("import", Fixture.path("subset.journal"))
        == "Posted 8 postings of \(Fixture.path("subset.journal")).\n")
    let (balance, printed) = (try ledger("balance"), try ledger("print"))
    let again = try folder.write(printed, to: "printed")
    let error = #expect(throws: LedgerError.self) { try ledger("import", again) }
    #expect(error?.code == .malformed)
    try ledger("undo")
    try ledger("import", "--format", "hledger", again)
    #expect(try ledger("balance") == balance)
    #expect(try ledger("print") == printed)
  }

  @Test("`import` reads what `print` writes as the same postings", arguments: [nil, "r", "r;(s", "(r"])
  func printed(reference: String?) throws {
    let entries = try ["A:b c 3 \"big shares\"", "A:B -3 \"big shares\"", "A $1", "B $-1"].map(Entry.init)
    for description in ["x", "* x", "! x", "(x) y", "(x", "x  y", "*x", "()"] {
      let posting = try Posting(Day("2026-01-31"), description, reference: reference, comment: "c", entries)
      try posting.checkPrintable()
      var books = Books()
      try books.perform(.post(postings: [posting]))
      let text = PrintedJournal(books.journal).text
      #expect(try HledgerJournal(text, file: "printed", posted: []).postings == [posting], "\(text)")
    }
  }

  @Test("`replay` and `audit` read an exported log, whatever the names in it")
  func quotedCommodity() throws {
    try ledger("post", "2026-01-31", "x", "A 2 \"big shares\"", "B")
    let log = try folder.write(ledger("log"), to: "log")
    #expect(try ledger("audit", "--log", log) == ledger("audit"))
    #expect(try ledger("replay", "--log", log) == ledger("replay"))
  }

  @Test("`register` and `balance` take a depth, and patterns that ignore case")
  func register() throws {
    for cents in 1...2 { try post(cents) }
    #expect(
      try ledger("register", "food") == """
        2026-01-31  1 cents  Expenses:Food  0.01  EUR  0.01 EUR
        2026-01-31  2 cents  Expenses:Food  0.02  EUR  0.03 EUR

        """)
    #expect(try ledger("balance", "--depth", "1", "EXP") == "Expenses  0.03  EUR\nTotal     0.03  EUR\n")
    #expect(
      try ledger("register", "--json", "cash", "--depth", "1").hasPrefix(
        #"{"lines":[{"account":"Assets","amount":"-0.01","currency":"EUR","date":"2026-01-31","#))
  }

  @Test("`post` works out a missing amount")
  func missingAmount() throws {
    try ledger("post", "2026/01/31", "Coffee", "Expenses:Food $3.50", "Assets:Cash", "--comment", "a treat")
    #expect(try ledger("balance", "cash") == "Assets:Cash  -3.50  $\nTotal        -3.50  $\n")
    #expect(
      try ledger("print") == """
        2026-01-31 Coffee  ; a treat
            Expenses:Food   $3.50
            Assets:Cash    $-3.50

        """)
  }

  @Test(
    "`post` and `feed` refuse the cost of an amount, which only `import` takes",
    arguments: [
      "a 1 EUR @ 2 USD", "a 1 EUR @@ 2 USD", "a 1 EUR @2 USD", "a 1 EUR@ 2 USD", "a $1 @ 2 USD",
      "a EUR 1 @\u{301} 2 USD", #"a 1 "x y" @ 2 USD"#, "a@b 1 EUR @ 2 USD", "a 1 @ 2 USD", "a 1 EUR @ 2",
    ])
  func costs(entry: String) throws {
    let error = #expect(throws: LedgerError.self) { try ledger("post", "2026-01-31", "x", entry, "b") }
    #expect(error?.code == .malformed)
    let line = #"{"date":"2026-01-31","description":"x","entries":[\#(json(entry)),"b -2 USD"]}"#
    try folder.ledger.change { open in
      let (count, refusal) = try FeedCommand.post([line], after: 0, to: open)
      #expect(count == 0)
      #expect(refusal?.code == .malformed)
    }
    let other = "is not an account: it has an amount and a cost in it, and only import takes costs."
    guard entry.hasSuffix(" USD") else { return }
    #expect(error?.reason.hasSuffix(other) == true)
  }

  private func json(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }

  @Test(
    "`post` takes an @ in the name of an account or of a commodity",
    arguments: ["a@b 1 EUR", "a @ b 1 EUR", "@a 1 EUR", #"a 1 "x@y""#, #"a@b:c 1 "1 X @ y""#])
  func names(entry: String) throws {
    try ledger("post", "2026-01-31", "x", entry, "b")
    #expect(try folder.ledger.books().journal.postings.first?.entries.first?.description == Entry(entry).description)
  }

  @Test("`balance` reads books of older versions, which have costs in the names of accounts")
  func olderCosts() throws {
    try folder.ledger.post(
      Posting(Day("2026-01-31"), "x", [Entry("a 1 EUR @ 2 USD"), Entry("b -2 USD")]))
    #expect(try ledger("balance", "^a") == "a 1 EUR @  2.00  USD\nTotal      2.00  USD\n")
  }

  @Test("`post` refuses control characters in every text")
  func controls() {
    for arguments in [
      ["2026-01-31", "a\u{1B}[2J", "A 1 EUR", "B"], ["2026-01-31", "x", "A\u{2028}b 1 EUR", "B"],
      ["2026-01-31", "x", "A 1 EUR", "B", "--reference", "\u{9B}2J"],
      ["2026-01-31", "x", "A 1 EUR", "B", "--comment", "\u{7}"],
    ] {
      let error = #expect(throws: LedgerError.self) {
        try (LedgerCommand.parseAsRoot(["post"] + arguments) as? any Subcommand)?.answer()
      }
      #expect(error?.code == .malformed)
    }
  }

  @Test("`replay` follows the log to any action")
  func replay() throws {
    for cents in 1...3 { try post(cents) }
    try ledger("undo")
    #expect(try ledger("replay").split(separator: "\n").count == 4)
    #expect(try ledger("replay", "--to", "1") == "Assets:Cash    -0.01  EUR\nExpenses:Food   0.01  EUR\n")
    #expect(try ledger("replay", "--to", "4") == ledger("balance"))
    #expect(throws: LedgerError.self) { try ledger("replay", "--to", "5") }
    #expect(throws: LedgerError.self) { try ledger("replay", "--to", "-1") }
    let lines = try JSONSerialization.jsonObject(with: Data(ledger("replay", "--json").utf8)) as? [String: [Any]]
    #expect(lines?["lines"]?.count == 4)
  }

  @Test("`audit` checks an exported log and names the first action that was altered")
  func audit() throws {
    for cents in 1...4 { try post(cents) }
    let log = try ledger("log")
    #expect(try ledger("audit", "--log", folder.write(log, to: "log")) == ledger("audit"))
    let altered = try folder.write(log.replacing("0.03 EUR", with: "0.08 EUR"), to: "altered")
    let error = #expect(throws: LedgerError.self) { try ledger("audit", "--log", altered) }
    #expect(error?.reason == "Action 3 (post \"3 cents\") does not lead to what it led to when it was made.")
    let broken = try folder.write(log + "{\"action\":", to: "broken")
    let malformed = #expect(throws: ActionLogError.self) { try ledger("audit", "--log", broken) }
    #expect(malformed?.line == 6)
  }

  @Test("`feed` posts line by line and names the line that it refuses")
  func feed() throws {
    let line = #"{"date":"2026-01-31","description":"x","entries":["A 1 EUR","B -1 EUR"]}"#
    try folder.ledger.change { open in
      let unbalanced = try FeedCommand.post([line, line.replacing("-1", with: "-2"), line], after: 0, to: open)
      #expect(unbalanced.0 == 1)
      #expect(unbalanced.1?.reason == "Line 2: \"x\" does not balance: its entries come to -1.00 EUR, not to zero.")
      let malformed = try FeedCommand.post([line, "{}", line], after: 1, to: open)
      #expect(malformed.0 == 1)
      #expect(malformed.1?.reason.hasPrefix("Line 3 is not a posting: ") == true)
    }
    #expect(try folder.ledger.books().journal.postingCount == 2)
  }

  @Test("`feed` refuses a line with a repeated or unknown key, names the key and posts nothing of the line")
  func strictFeed() throws {
    let line = #"{"date":"2026-01-31","description":"x","entries":["A 1 EUR","B -1 EUR"]}"#
    try folder.ledger.change { open in
      for addition in [#""date":"2026-02-01""#, #""entries":["A 2 EUR","B -2 EUR"]"#, #""d\u0061te":"2026-02-01""#] {
        let (count, refusal) = try FeedCommand.post(["{\(addition),\(line.dropFirst())"], after: 0, to: open)
        #expect(count == 0, "\(addition)")
        #expect(refusal?.reason.hasPrefix("Line 1 is not a posting: ") == true)
        #expect(refusal?.reason.contains("is there twice") == true)
      }
      let misspelled = #"{"refrence":"r","Date":"",\#(line.dropFirst())"#
      let (count, refusal) = try FeedCommand.post([line, misspelled, line], after: 0, to: open)
      #expect(count == 1)
      #expect(
        refusal?.reason == "Line 2: A posting has no \"Date\" or \"refrence\", but a \"date\", \"description\", "
          + "\"reference\", \"comment\" or \"entries\".")
      let whole = #"{"reference":"r","comment":null,\#(line.dropFirst())"#
      #expect(try FeedCommand.post([whole, whole], after: 0, to: open).0 == 1)
    }
    #expect(try folder.ledger.books().journal.postingCount == 2)
  }

  @Test("A malformed command line has exit code 64")
  func usage() {
    for arguments in [
      ["balance", "--depth", "0"], ["post"], ["post", "2026-01-31", "x"], ["nonsense"], ["replay", "--to", "x"],
    ] {
      let error = #expect(throws: (any Error).self) { try LedgerCommand.parseAsRoot(arguments) }
      #expect(error.map { LedgerCommand.exitCode(for: $0).rawValue } == 64)
      #expect(error.flatMap(LedgerCommand.exitCode(ofFailure:)) == nil)
    }
  }

  @Test("Each kind of failure has an exit code")
  func codes() {
    let codes = [
      LedgerError(.unbalanced, ""), LedgerError(.inaccessible, ""), PersistenceError(.inUse, storage: "", ""),
      PersistenceError(.damaged, storage: "", ""), LedgerError(.untold, ""),
    ].map { (error: any Error) in LedgerCommand.exitCode(ofFailure: error)?.rawValue }
    #expect(codes == [1, 2, 3, 2, 4])
  }
}
