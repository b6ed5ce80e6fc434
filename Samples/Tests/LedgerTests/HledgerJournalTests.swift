import Testing

@testable import Ledger

@Suite("A journal of hledger's")
struct HledgerJournalTests {
  static func postings(_ text: String, posted: Set<Spelling> = []) throws -> [Posting] {
    try HledgerJournal(text, file: "my.journal", posted: posted).postings
  }

  @Test("A block of comments in an hledger journal is skipped and ends only at the beginning of a line")
  func commentBlock() throws {
    let text = "comment\n2026-01-05 x\n  end comment\n  A  $1\nend comment\n2026-01-06 y\n  A  $1\n  B\n"
    let journal = try HledgerJournal(text, file: "j", posted: [])
    #expect(journal.postings.map(\.description) == ["y"])
    #expect(throws: LedgerError.self) { try HledgerJournal(" comment\nend comment\n", file: "j", posted: []) }
  }

  @Test("An hledger journal is read with its codes, comments and costs")
  func read() throws {
    let postings = try Self.postings(
      """
      2026/1/5 * (c-7) Shares  ; of a friend
          ; at last
          Assets:Depot   4 AAPL @ $12.125  ; a few
          Assets:Cash
      """)
    let posting = try #require(postings.first)
    #expect("\(posting.day)" == "2026-01-05")
    #expect(posting.reference == "c-7")
    #expect(posting.description == "Shares")
    #expect(posting.comment == "of a friend; at last; a few")
    #expect(
      posting.entries.map(\.description) == [
        "Assets:Depot 4 AAPL", "equity:conversion:$-AAPL:AAPL -4 AAPL", "equity:conversion:$-AAPL:$ $48.50",
        "Assets:Cash $-48.50",
      ])
  }

  @Test("A price of zero in an hledger journal may have any number of decimals", arguments: [2, 33, 1_000])
  func priceOfNothing(decimals: Int) throws {
    let price = "0." + String(repeating: "0", count: decimals)
    let posting = try Self.postings("2026-01-05 x\n  A  10 AAPL @ $\(price)\n  B\n").first
    #expect(
      posting?.entries.map(\.description).prefix(3) == [
        "A 10 AAPL", "equity:conversion:$-AAPL:AAPL -10 AAPL", "equity:conversion:$-AAPL:$ $0.00",
      ])
  }

  @Test("A price in an hledger journal may have more decimals than any amount if the cost has few")
  func longPrice() throws {
    let price = "12.5" + String(repeating: "0", count: 16)
    let posting = try Self.postings("2026-01-05 x\n  A  -2 AAPL @ $\(price)\n  B\n").first
    #expect(posting?.entries[2].description == "equity:conversion:$-AAPL:$ $-25.00")
  }

  @Test("An hledger journal may have the line breaks of any system", arguments: ["\n", "\r\n", "\r"])
  func lineBreaks(lineBreak: String) throws {
    let lines = ["; x", "2026-01-05 x", " a  $1", " b", "", "2026-01-06 y", " a  $1", " b"]
    #expect(try Self.postings(lines.joined(separator: lineBreak)).count == 2)
  }

  @Test(
    "Any two spaces or tabs separate an account from an amount in an hledger journal",
    arguments: ["  ", " \t", "\t ", "\t\t", "   "])
  func separators(separator: String) throws {
    let postings = try Self.postings("2026-01-05 x\n\ta b\(separator)$1\n b\(separator); c")
    #expect(postings.first?.entries.map(\.account.name) == ["a b", "b"])
    #expect(postings.first?.comment == "c")
  }

  @Test(
    "A transaction without a description is printed and read again",
    arguments: [
      ("2026-01-05", "2026-01-05"), ("2026-01-05 *", "2026-01-05"), ("2026-01-05 ! (c)", "2026-01-05 (c)"),
      ("2026-01-05 ; note", "2026-01-05  ; note"), ("2026-01-05 * (c) ; note", "2026-01-05 (c)  ; note"),
    ])
  func noDescription(head: String, printed: String) throws {
    let postings = try Self.postings("\(head)\n  A  1 EUR\n  B\n")
    #expect(postings.map(\.description) == [""])
    var books = Books()
    try books.perform(.post(postings: postings))
    let text = PrintedJournal(books.journal).text
    #expect(text.split(separator: "\n").first.map(String.init) == printed)
    #expect(try Self.postings(text) == postings)
    let folder = try Folder()
    try folder.ledger.post(postings[0])
    #expect(try folder.ledger.books().journal.postings == postings)
  }

  static let refusals: [(String, String)] = [
    ("2026-01-05=2026-01-06 x\n a  $1\n b", "1:11: There is a second date; a posting has one."),
    ("01-05 x\n a  $1\n b", "1:1: \"01-05\" is not a day: write it as 2026-01-31."),
    ("2026-01-05 x\n (a)  $1", "2:2: This is a virtual posting, which need not balance; here all do."),
    ("2026-01-05 x\n a  $1\n [b]", "3:2: This is a virtual posting, which need not balance; here all do."),
    ("2026-01-05 x\n a  $1 = $5\n b", "2:8: This is an assertion about a balance, which can't be checked here."),
    (
      "2026-01-05 x\n a  1,50 EUR\n b",
      "2:5: \"1,50\" is not an amount: write it as 12.50 or -12.50."
    ),
    (
      "2026-01-05 x\n a  1\n b",
      "2:5: \"1\" is not an amount with its commodity: write it as 3.50 EUR, $3.50 or 10 AAPL."
    ),
    ("2026-01-05 x\n a  $1\n b  $2", "1:1: \"x\" does not balance: its entries come to $3.00, not to zero."),
    (
      "2026-01-05\n a  $1\n b  $2",
      "1:1: The posting of 2026-01-05 does not balance: its entries come to $3.00, not to zero."
    ),
    (
      "2026-01-05 x\n a\n b",
      "1:1: \"x\" has two entries without an amount: one can be worked out, not more."
    ),
    ("2026-01-05 x\n a  $1", "1:1: \"x\" has 1 entries, and needs at least two."),
    ("2026-01-05 x\n a  $1 ; c\n a::b", "3:2: \"a::b\" is not an account: write it as Expenses:Food."),
    ("2026-01-05 x\n a ; c\n b  $1", "2:2: There have to be two spaces between an account and a comment."),
    (
      "2026-01-05 x\n a\t$1\n b",
      "2:3: hledger reads a single tab as a part of the name: put two spaces between an account and what follows."
    ),
    (
      "2026-01-05 x\n a\t; c\n b  $1",
      "2:3: hledger reads a single tab as a part of the name: put two spaces between an account and what follows."
    ),
    (
      "2026-01-05 x\n a\tb  $1\n b",
      "2:3: hledger reads a single tab as a part of the name: put two spaces between an account and what follows."
    ),
    (
      "2026-01-05 x\n a  3 AAPL @ $0.333\n b",
      "2:14: 3 AAPL at this price don't come to an amount of $ with 2 decimals: write the whole cost, after @@."
    ),
    (
      "2026-01-05 x\n a  10 AAPL @ $0.000000000000000000000000000000001\n b",
      "2:15: 10 AAPL at this price don't come to an amount of $ with 2 decimals: write the whole cost, after @@."
    ),
    (
      "2026-01-05 x\n a  1000000000000000000 JPY @ 10000000000000 X\n b",
      "2:31: 1000000000000000000 JPY at this price come to too much: no amount is above 92233720368.54775807 X."
    ),
    (
      "2026-01-05 x\n a  -1000000000000000000 JPY @ 10 EUR\n b",
      "2:32: -1000000000000000000 JPY at this price come to too much: no amount is above 92233720368547758.07 EUR."
    ),
    ("2026-01-05 x\n a  @ $1\n b", "2:7: This is a cost of nothing."),
    (
      "2026-01-05 (  c ) x\n a  $1\n b",
      "1:13: \"  c \" is not a reference: it has a parenthesis that closes, or begins or ends with a space."
    ),
    (
      "2026-01-05 ( ) x\n a  $1\n b",
      "1:13: \" \" is not a reference: it has a parenthesis that closes, or begins or ends with a space."
    ),
    (
      "2026-01-05 x\n a  1 AAPL @ @ $3\n b",
      "2:14: \"@\" is not a commodity, as EUR, $ or AAPL is: put any other name in quotes."
    ),
    ("2026-01-05 (p) x\n a  $1\n b", "1:13: \"p\" has been posted before."),
    ("2026-01-05 (c) x\n a  $1\n b\n2026-01-05 (c) x\n a  $1\n b", "4:13: \"c\" has been posted before."),
    (" a  $1", "1:2: This line belongs to nothing: transactions begin with a date at the beginning of a line."),
    (
      "include other.journal",
      "1:1: \"include\" is not something that can be imported; see 'ledger help import'."
    ),
    ("~ monthly\n a  $1\n b", "1:1: \"~\" is not something that can be imported; see 'ledger help import'."),
    ("D $1.00", "1:1: \"D\" is not something that can be imported; see 'ledger help import'."),
    (
      "commodity EUR\n  format 1.000,00 EUR",
      "2:15: Numbers have a decimal point here, and commas only before each three digits."
    ),
    ("2026-01-05 a\u{2028}b\n a  $1\n b", "1:13: There is a control character here, U+2028 LINE SEPARATOR."),
    ("2026-01-05 x\n a\u{1B}  $1\n b", "2:3: There is a control character here, U+001B."),
    (
      "2026-01-05 x\n a  10.00\u{A0}EUR\n b",
      "2:5: \"\u{A0}EUR\" is not a commodity, as EUR, $ or AAPL is: put any other name in quotes."
    ),
    ("2026-01-05 x\n a\u{A0}b  $1\n b", "2:2: \"a\u{A0}b\" is not an account: write it as Expenses:Food."),
    (
      "2026-01-05 x\n a  $1 ; paid, date:2026-02-01\n b",
      "2:16: This gives the entry a date of its own; here all have their posting's."
    ),
    (
      "2026-01-05 x\n a  $1\n ; [2026-02-01]\n b",
      "3:4: This gives the entry a date of its own; here all have their posting's."
    ),
    (
      "2026-01-05 x\n a  $1\n ; [2026-02-01]\u{301}\n b",
      "3:4: This gives the entry a date of its own; here all have their posting's."
    ),
    (
      "2026-01-05 x\n a  $1\n \u{301}\n b",
      "1:1: \"x\" has two entries without an amount: one can be worked out, not more."
    ),
    ("2026-01-05=\u{301}2026-01-06 x\n a  $1\n b", "1:11: There is a second date; a posting has one."),
    (
      "2026-01-05 x\n a  $1 =\u{301} $5\n b",
      "2:8: This is an assertion about a balance, which can't be checked here."
    ),
    (
      "commodity EUR\n  format 1.000,\u{301}00 EUR",
      "2:15: Numbers have a decimal point here, and commas only before each three digits."
    ),
    ("2026-01-05 x\ty\n a  $1\n b", "1:12: There is a control character in this text, U+0009."),
    ("2026-01-05 (z\n a  $1\n b", "1:12: This code is not closed: there is no parenthesis for it on the line."),
    ("2026-01-05 * (z ; c\n a  $1\n b", "1:14: This code is not closed: there is no parenthesis for it on the line."),
    (
      "commodity 1.000.000 X",
      "1:16: There is a second decimal point here: numbers have one, and commas only before each three digits."
    ),
    (
      "commodity X\n  format 1.000.000 X",
      "2:15: There is a second decimal point here: numbers have one, and commas only before each three digits."
    ),
    (
      "2026-01-05 x\n a  -92233720368547758.08 EUR @@ $1\n b",
      "2:5: \"-92233720368547758.08 EUR\" is too large: there is no amount that brings it to zero."
    ),
  ]

  @Test("A malformed hledger journal is refused by line and column", arguments: refusals)
  func refused(text: String, message: String) {
    let error = #expect(throws: LedgerError.self) { try Self.postings(text, posted: ["p"]) }
    #expect(error?.description == "my.journal:" + message)
  }

  @Test(
    "An odd space is refused where hledger reads it as the end of a commodity's name",
    arguments: ["\u{A0}", "\u{3000}", "\u{2003} \u{A0}"])
  func oddSpaces(_ space: String) {
    for (entry, column) in [
      ("10 X\(space)", 10), ("10 X\(space)  ; c", 10), ("10 X\(space)@ 2 Y", 10), ("10 X\(space) @@ 2 Y", 10),
      ("10 X @ 2 Y\(space)", 16), ("10 X @@ 2 Y\(space); c", 17), ("10 $\(space)", 10),
    ] {
      let error = #expect(throws: LedgerError.self, "\(entry)") {
        try Self.postings("2026-01-05 x\n  A  \(entry)\n  B\n")
      }
      #expect(error?.place == LedgerError.Place(file: "my.journal", line: 2, column: column), "\(entry)")
      #expect(error?.reason.contains("the commodity's name") == true, "\(entry)")
    }
  }

  @Test("Odd spaces are allowed wherever hledger passes over them", arguments: ["\u{A0}", "\u{3000}"])
  func passedOver(_ space: String) throws {
    let text = "2026-01-05\(space)(c) x ;c\n  A  1 X @ $2;d\n  B  1 \"Y\"\n  C\n"
    let odd = """
      2026-01-05\(space)(c)\(space)x\(space);\(space)c\(space)
      \(space) A  \(space)1 X @\(space)$2\(space);\(space)d\(space)
        B  1 "Y" \(space)
        C\(space)
      \(space)

      """
    #expect(try Self.postings(odd) == Self.postings(text))
  }

  @Test(
    "An account that begins with *, ! or ( after its status mark is refused",
    arguments: ["* *A", "! !A", "! (A", "* *\u{301}A"])
  func unprintableAccounts(_ account: String) {
    let error = #expect(throws: LedgerError.self) {
      try Self.postings("2026-01-05 x\n  \(account)  1 EUR\n  B\n")
    }
    #expect(error?.code == .malformed)
    #expect(error?.place?.line == 2)
  }

  @Test(
    "A quoted commodity may have any mark but a semicolon, and is printed and read again",
    arguments: ["a@b", "a=b", "a,b", "@", "=@@=", "a@ b", "(", "*"])
  func quotedMarks(name: String) throws {
    let postings = try Self.postings(
      """
      commodity 1.00 "\(name)"
      2026-01-05 x
        A  2 "\(name)" @@ 4 "\(name)c"
        B  1 "\(name)"
        C
      """)
    #expect(postings.first?.entries.map(\.amount.commodity.symbol).prefix(3) == [name, name, "\(name)c"])
    var books = Books()
    try books.perform(.post(postings: postings))
    #expect(try Self.postings(PrintedJournal(books.journal).text) == postings)
  }

  @Test("Conversion accounts are named in the order of code points, as in hledger")
  func conversionAccounts() throws {
    for (first, second) in [("e\u{301}", "°C"), ("Z", "a"), ("e\u{301}", "\u{E9}"), ("\u{FF21}", "\u{1F600}")] {
      for (given, got) in [(first, second), (second, first)] {
        let posting = try Self.postings("2026-01-05 x\n  A  10 \(given) @@ 2 \(got)\n  B\n").first
        let account = try #require(posting?.entries[1].account)
        #expect(account == (try Account("equity:conversion:\(first)-\(second):\(given)")), "\(first), \(second)")
      }
    }
  }

  @Test("A cost is read even if a combining mark follows its @@")
  func costs() throws {
    let posting = try Self.postings("2026-01-05 x\n  A  2 X @@\u{301}B 4\n  C\n").first
    let symbols = posting?.entries.map { Array($0.amount.commodity.symbol.unicodeScalars) }
    #expect(symbols?.contains(["\u{301}", "B"]) == true)
  }

  @Test("A code or a description ends at its delimiter even if a combining mark follows")
  func combiningMarks() throws {
    let posting = try Self.postings("2026-01-05 (c)\u{301}x ;\u{302}y\n  A  1 EUR\n  B\n").first
    #expect(
      posting.map { Array("\($0.reference ?? "")|\($0.description)|\($0.comment ?? "")".unicodeScalars) }
        == Array("c|\u{301}x|\u{302}y".unicodeScalars))
  }
}
