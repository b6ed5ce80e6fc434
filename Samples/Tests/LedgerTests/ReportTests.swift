import Testing

@testable import Ledger

@Suite("The reports")
struct ReportTests {
  let journal: Journal

  init() throws {
    var books = Books()
    try books.perform(
      .post(postings: [
        .spending(350, on: "Expenses:Food:Out", day: "2025-12-31"), .spending(4_130, day: "2026-02-01"),
        .spending(99, on: "Expenses Club", day: "2026-02-28"),
      ]))
    let yen = try Posting(Day("2026-02-02"), "Yen", [Entry("Assets 7 JPY"), Entry("B -7 JPY")])
    try books.perform(.post(postings: [yen]))
    try books.perform(.post(5))
    try books.perform(.undo)
    journal = books.journal
  }

  static func selection(_ patterns: String..., depth: Int? = nil) throws -> Selection {
    Selection(try patterns.map(AccountPattern.init), depth: depth)
  }

  @Test("The balances show what all accounts come to")
  func balances() throws {
    #expect(
      try Balances(journal).text == """
        Assets                  7  JPY
        Assets:Cash        -45.79  EUR
        B                      -7  JPY
        Expenses:Food       41.30  EUR
        Expenses:Food:Out    3.50  EUR
        Expenses Club        0.99  EUR

        """)
  }

  @Test("The balances of selected accounts show what each comes to, and their total")
  func selection() throws {
    #expect(
      try Balances(journal, of: Self.selection("^expenses(:|$)", "FOOD", "assets")).text == """
        Assets                  7  JPY
        Assets:Cash        -45.79  EUR
        Expenses:Food       41.30  EUR
        Expenses:Food:Out    3.50  EUR
        Total               -0.99  EUR
        Total                   7  JPY

        """)
  }

  @Test("A report is refused if a pattern matches no account", arguments: ["^Expense$", "Expenses:Food:In", "^Cash"])
  func unknown(pattern: String) throws {
    let selection = try Self.selection("Assets", pattern)
    let expected = LedgerError(.unknown, "Nothing is posted to an account that \"\(pattern)\" matches.")
    #expect(#expect(throws: LedgerError.self) { try Balances(journal, of: selection) } == expected)
    #expect(#expect(throws: LedgerError.self) { try Register(journal, of: selection) } == expected)
  }

  @Test("A pattern that is no regular expression is refused")
  func malformedPattern() {
    let error = #expect(throws: LedgerError.self) { try AccountPattern("(food") }
    #expect(error?.code == .malformed)
  }

  @Test("The balances to a given depth sum up what is below each account")
  func depth() throws {
    #expect(
      try Balances(journal, of: Self.selection("expenses", depth: 1)).text == """
        Expenses       44.80  EUR
        Expenses Club   0.99  EUR
        Total          45.79  EUR

        """)
  }

  @Test("The register shows the entries day by day with their running total")
  func register() throws {
    #expect(
      try Register(journal, of: Self.selection("^assets", "food:out", depth: 2)).text == """
        2025-12-31  350 cents   Expenses:Food    3.50  EUR           3.50 EUR
        2025-12-31  350 cents   Assets:Cash     -3.50  EUR                  0
        2026-02-01  4130 cents  Assets:Cash    -41.30  EUR         -41.30 EUR
        2026-02-02  Yen         Assets              7  JPY  -41.30 EUR, 7 JPY
        2026-02-28  99 cents    Assets:Cash     -0.99  EUR  -42.29 EUR, 7 JPY

        """)
  }

  @Test("The monthly report shows the tree of accounts, each with what is below it")
  func monthly() {
    #expect(
      MonthlyReport(journal).text == """
        EUR            2025-12  2026-02   Total
        Assets           -3.50   -42.29  -45.79
          Cash           -3.50   -42.29  -45.79
        Expenses          3.50    41.30   44.80
          Food            3.50    41.30   44.80
            Out           3.50             3.50
        Expenses Club              0.99    0.99

        JPY     2025-12  2026-02  Total
        Assets                 7      7
        B                     -7     -7

        """)
  }

  @Test("The reports of an empty journal are empty")
  func empty() throws {
    #expect(try Balances(Journal()).text.isEmpty)
    #expect(try Register(Journal()).text.isEmpty)
    #expect(MonthlyReport(Journal()).text.isEmpty)
    #expect(try History(Books().log).text.isEmpty)
  }

  @Test("The history shows what each action did")
  func history() throws {
    var books = Books()
    try books.perform(.post(5))
    try books.perform(.undo)
    let lines = try History(books.log).lines
    #expect(lines.map(\.action) == ["post \"5 cents\"", "undo"])
    #expect(lines.map(\.number) == [1, 2])
    #expect(lines.map(\.postings) == [1, 0])
    #expect(lines.last?.seal == books.journal.seal.description)
  }
}
