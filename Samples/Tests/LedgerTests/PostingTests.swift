import Foundation
import Testing

@testable import Ledger

@Suite("A posting")
struct PostingTests {
  static func posting(_ entries: String...) throws -> Posting {
    try Posting(Day("2026-01-31"), "Test", entries.map(Entry.init))
  }

  @Test("A posting comes to zero in each commodity")
  func balanced() throws {
    let posting = try Self.posting("A 1.50 EUR", "B 500 JPY", "C -1.50 EUR", "B:D -200 JPY", "B:D -300 JPY")
    #expect(posting.entries.count == 5)
  }

  @Test(
    "A posting is refused if it does not come to zero or has fewer than two entries",
    arguments: [
      (["A 1 EUR", "B -1.01 EUR"], "\"Test\" does not balance: its entries come to -0.01 EUR, not to zero."),
      (
        ["A 1 EUR", "B -1 USD", "C 5 JPY", "D -5 JPY"],
        "\"Test\" does not balance: its entries come to 1.00 EUR and -1.00 USD, not to zero."
      ),
      (["A 0 EUR"], "\"Test\" has 1 entries, and needs at least two."),
      ([], "\"Test\" has 0 entries, and needs at least two."),
    ]
  )
  func unbalanced(entries: [String], message: String) throws {
    let (day, entries) = (try Day("2026-01-31"), try entries.map(Entry.init))
    let error = #expect(throws: LedgerError.self) { try Posting(day, "Test", entries) }
    #expect(error == LedgerError(.unbalanced, message))
  }

  @Test("A posting is refused if it balances only by overflow")
  func overflow() throws {
    let largest = "92233720368547758.07 EUR"
    #expect(throws: LedgerError.self) {
      try Self.posting("A \(largest)", "A \(largest)", "A 0.02 EUR", "B 0 EUR")
    }
  }

  static func completed(_ entries: String...) throws -> [String] {
    try Posting(Day("2026-01-31"), "Test", completing: entries.map(EntryDraft.init)).entries.map(\.description)
  }

  @Test("A posting gets its one missing amount in each commodity")
  func completion() throws {
    #expect(try Self.completed("A 1.50 EUR", "B") == ["A 1.50 EUR", "B -1.50 EUR"])
    #expect(try Self.completed("B", "A $1", "C 10 AAPL") == ["B $-1.00", "B -10 AAPL", "A $1.00", "C 10 AAPL"])
    #expect(try Self.completed("A $1", "B $-1", "C") == ["A $1.00", "B $-1.00", "C $0.00"])
  }

  @Test("A posting is refused if more is missing than can be worked out")
  func missingAmounts() {
    for entries in [["A", "B"], ["A 1 EUR", "B", "C"], ["A"]] {
      let error = #expect(throws: LedgerError.self) {
        try Posting(Day("2026-01-31"), "Test", completing: entries.map(EntryDraft.init))
      }
      #expect(error?.code == .unbalanced)
    }
    let largest = "92233720368547758.07 EUR"
    let error = #expect(throws: LedgerError.self) { try Self.completed("A \(largest)", "A \(largest)", "B") }
    #expect(error?.code == .overflow)
  }

  @Test(
    "A new posting with control characters in its texts is refused",
    arguments: ["\u{1B}[2J", "a\u{2028}b", "a\tb", "\u{9B}"])
  func controls(text: String) throws {
    let entries = try Posting.spending(1).entries
    for posting in try [
      Posting(Day("2026-01-31"), "x", comment: "a\u{7F}", entries), Posting.spending(1, on: "A\u{0}"),
    ] {
      let error = #expect(throws: LedgerError.self) { try posting.checkPrintable() }
      #expect(error?.code == .malformed)
    }
    #expect(throws: LedgerError.self) { try text.checkPrintable() }
  }

  @Test(
    "A new posting is refused if hledger would take its account for something else",
    arguments: ["A  B", "(A)", "[A", "* A", "!A", "A;B"])
  func ambiguousAccounts(name: String) throws {
    let error = #expect(throws: LedgerError.self) { try Posting.spending(1, on: name).checkPrintable() }
    #expect(error?.code == .malformed)
  }

  @Test("A new posting is refused if its reference would change between parentheses", arguments: ["a)b", " a", "a "])
  func ambiguousReferences(reference: String) throws {
    let error = #expect(throws: LedgerError.self) {
      try Posting.spending(1, reference: reference).checkPrintable()
    }
    #expect(error?.code == .malformed)
  }

  @Test(
    "A new posting is refused if its comment begins or ends with a blank",
    arguments: [" lead", "trail ", "\u{A0}x", "x\u{3000}", " "])
  func blankComments(comment: String) throws {
    let posting = try Posting(Day("2026-01-31"), "x", comment: comment, Posting.spending(1).entries)
    let error = #expect(throws: LedgerError.self) { try posting.checkPrintable() }
    #expect(error?.reason == "\"\(comment)\" is not a comment: it begins or ends with a space.")
  }

  @Test("The description of a posting is at most one line, and its reference exactly one")
  func texts() throws {
    let (day, entries) = (try Day("2026-01-31"), try Posting.spending(1).entries)
    #expect(throws: LedgerError.self) { try Posting(day, "a\nb", entries) }
    for text in ["", "a\nb"] {
      #expect(throws: LedgerError.self) { try Posting(day, "Test", reference: text, entries) }
    }
  }

  @Test("A posting is the same after encoding and decoding, and is not decoded unless it balances")
  func coding() throws {
    let posting = try Posting.spending(350, on: "Expenses:My \"café\"", reference: "b-1")
    let data = try JSONEncoder().encode(posting)
    #expect(try JSONDecoder().decode(Posting.self, from: data) == posting)
    let other = String(decoding: data, as: UTF8.self).replacing("-3.50", with: "-3.51")
    let error = #expect(throws: LedgerError.self) { try JSONDecoder().decode(Posting.self, from: Data(other.utf8)) }
    #expect(error?.code == .unbalanced)
  }

  @Test(
    "A new posting is refused if its description would change when it is printed and read again",
    arguments: ["; x", ";\u{301}x", " x", "x ", "\u{A0}x", " \u{301}x"])
  func unprintableDescription(_ description: String) throws {
    let posting = try Posting(Day("2026-01-31"), description, ["A 1 EUR", "B -1 EUR"].map(Entry.init))
    let error = #expect(throws: LedgerError.self) { try posting.checkPrintable() }
    #expect(error?.code == .malformed)
  }

  @Test("A new posting is refused if its commodity has a semicolon, which would begin a comment")
  func unprintableCommodity() throws {
    let entries = try [#"A 1 "a;b""#, #"B -1 "a;b""#].map(EntryDraft.init)
    let error = #expect(throws: LedgerError.self) {
      try Posting(Day("2026-01-31"), "x", completing: entries).checkPrintable()
    }
    #expect(error?.description == #""a;b" is not a commodity: no name has a semicolon."#)
  }

  @Test("A new posting is refused if a combining mark hides what ends its reference or its account")
  func combiningMarks() throws {
    #expect(throws: LedgerError.self) { try Posting.checkPrintable(reference: "a)\u{301}b") }
    for name in ["A;\u{301}b", "(\u{301}A", "*\u{301}A", "A  \u{301}b"] {
      // Some are no accounts at all.
      #expect(throws: LedgerError.self, "\(name)") { try Account(name).checkPrintable() }
    }
  }
}

@Suite("Names and amounts with combining marks")
struct CombiningMarkTests {
  private func texts(_ entry: EntryDraft) -> [[Unicode.Scalar]] {
    [entry.account.name, entry.amount?.commodity.symbol ?? ""].map { Array($0.unicodeScalars) }
  }

  @Test("Spaces and quotes divide an entry even if combining marks follow")
  func words() throws {
    for (text, account, symbol) in [
      ("A 1 \"\u{301}x y\"", "A", "\u{301}x y"), ("A 1 \"x \u{301}y\"", "A", "x \u{301}y"),
      ("A 1 \u{301}x", "A", "\u{301}x"), ("A \u{301}b 1 EUR", "A \u{301}b", "EUR"),
    ] {
      let entry = try EntryDraft(text)
      #expect(texts(entry) == [account, symbol].map { Array($0.unicodeScalars) }, "\(text)")
      #expect(try texts(EntryDraft("A \(#require(entry.amount))")).last == Array(symbol.unicodeScalars), "\(text)")
    }
    // A mark makes no amount of a digit.
    #expect(throws: LedgerError.self) { try Entry("A 1\u{301} EUR") }
    #expect(try EntryDraft("A 1\u{301} EUR").amount == nil)
  }

  @Test("Colons divide the name of an account even if combining marks follow")
  func accounts() throws {
    let account = try Account("A:\u{301}b:\u{301}c")
    #expect(account.names.map { Array($0.unicodeScalars) } == [["A"], ["\u{301}", "b"], ["\u{301}", "c"]])
    #expect(account.path.map { $0.name.unicodeScalars.count } == [1, 4, 7])
    #expect(account.clipped(toDepth: 1) == (try Account("A")))
    for name in [":\u{301}b", "A :\u{301}b", "A: \u{301}b", "A:\u{A0}\u{301}b"] {
      #expect(throws: LedgerError.self, "\(name)") { try Account(name) }
    }
    for pattern in ["^A:", ":.b:", #":\u{301}b"#] {
      #expect(try AccountPattern(pattern).matches(account), "\(pattern)")
    }
    var books = Books()
    try books.perform(
      .post(postings: [Posting(Day("2026-01-31"), "x", [Entry(account, Amount("1 EUR")), Entry("B -1 EUR")])]))
    let lines = MonthlyReport(books.journal).text.unicodeScalars.split(separator: "\n")
    #expect(lines[3].starts(with: "    \u{301}c".unicodeScalars))
  }
}

@Suite("An entry")
struct EntryTests {
  @Test(
    "An entry is an account, an amount and its currency",
    arguments: [
      "A 1.00 EUR", "Assets:My  Bank -3 JPY", "A:B:C d 0.00 USD", "A 2 \"big  shares\"", "A 5\" disk -2 \"x 1\"",
      "A:\"b c\" 1.00 EUR",
    ])
  func read(text: String) throws {
    #expect(try Entry(text).description == text)
  }

  @Test(
    "A draft of an entry may have no amount, or one as people write it",
    arguments: [
      ("Equity", "Equity", nil), ("Assets:My Account2", "Assets:My Account2", nil), ("A $3.50", "A", "$3.50"),
      ("A B -$3", "A B", "$-3.00"), ("A 3.50EUR", "A", "3.50 EUR"), ("A EUR 3", "A", "3.00 EUR"),
      ("A B 10 AAPL", "A B", "10 AAPL"), ("A  $ 1,250.00", "A", "$1250.00"), ("A \"b c\"", "A \"b c\"", nil),
      ("A 3\"b c\"", "A", "3 \"b c\""),
    ])
  func draft(text: String, account: String, amount: String?) throws {
    let draft = try EntryDraft(text)
    #expect(draft.account.name == account)
    #expect(draft.amount?.description == amount)
  }

  @Test(
    "A malformed entry is refused",
    arguments: [
      "", "A", "A 1.00", "1.00 EUR", " A 1.00 EUR", "A:  1.00 EUR", ":A 1.00 EUR", "A::B 1.00 EUR", "A : B 1.00 EUR",
      "A 1.00 eur", "A B 1.00", "A\nB 1.00 EUR", "A 1,5 EUR", "A Account2", "A $",
    ])
  func refused(text: String) {
    #expect(throws: LedgerError.self) { try Entry(text) }
  }
}

@Suite("A day")
struct DayTests {
  @Test(
    "A day of the calendar is read", arguments: ["2026-01-31", "2024-02-29", "2000-02-29", "0000-12-31", "9999-04-30"])
  func read(text: String) throws {
    #expect(try Day(text).description == text)
  }

  @Test(
    "A day that is malformed or not in the calendar is refused",
    arguments: [
      "2026-02-29", "1900-02-29", "2026-04-31", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32",
      "2026-001-1", "26-01-01", "2026/01-01", "2026-01-01T00:00", "2026//1", "2026-01-", "02026-01-01", "", "2026-01",
      "+026-01-01", "2026-01-1٣",
    ])
  func refused(text: String) {
    let error = #expect(throws: LedgerError.self) { try Day(text) }
    #expect(error?.reason == "\"\(text)\" is not a day: write it as 2026-01-31.")
  }

  @Test(
    "A day is written with dashes, however it was read",
    arguments: ["2026/01/05", "2026.01.05", "2026-1-5", "2026/1/05"])
  func separators(text: String) throws {
    #expect(try Day(text).description == "2026-01-05")
  }
}
