import Testing

@testable import Ledger

@Suite("A CSV file")
struct StatementTests {
  static let header = "reference,date,description,account,amount,currency\n"

  static func postings(_ text: String, posted: Set<Spelling> = []) throws -> [Posting] {
    try Statement(CSVTable(text, file: "bank.csv"), posted: posted).postings
  }

  @Test("The rows of a CSV file with the same reference make one posting")
  func read() throws {
    let postings = try Self.postings(
      Self.header
        + """
        b-1,2026-01-05,Salary,Assets:Bank,2500.00,EUR
        b-1,2026-01-05,Salary,Income:Salary,-2500.00,EUR

        b-2,2026-01-07,"Bread, ""rye"", and butter",Expenses:Food, 8.30,EUR
        b-2,2026-01-07,"Bread, ""rye"", and butter",Assets:Bank,-8.30,EUR
        """)
    #expect(postings.map(\.reference) == ["b-1", "b-2"])
    #expect(postings.map(\.description) == ["Salary", "Bread, \"rye\", and butter"])
    #expect(postings[1].entries.map(\.description) == ["Expenses:Food 8.30 EUR", "Assets:Bank -8.30 EUR"])
  }

  @Test(
    "A CSV file may have its columns in any order, a byte order mark, and LF or CR LF line breaks",
    arguments: ["\r\n", "\n"])
  func forms(lineBreak: String) throws {
    func postings(_ text: String) throws -> [Posting] {
      try Self.postings(InputText.text(Array(text.utf8), file: "bank.csv"))
    }
    let lines = [
      "\u{FEFF}Currency,Amount,Account,Description,Date,Reference", "EUR,1,A,x,2026-01-05,r",
      "EUR,-1,\"B\",x,2026-01-05,r",
    ]
    #expect(try postings(lines.joined(separator: lineBreak)).count == 1)
    #expect(try postings(lines.joined(separator: lineBreak) + lineBreak).count == 1)
    #expect(try postings(lines[0]).isEmpty)
  }

  /// A file's lines after the header, and what refuses it.
  static let refusals: [(String, String)] = [
    (
      "r,2026-01-05,x,A,1,EUR\nr,2026-01-05,x,B,-1;00,EUR",
      "3:18: \"-1;00\" is not an amount: write it as 12.50 or -12.50."
    ),
    (
      "r,2026-01-05,x,A  B,1,EUR",
      "2:16: \"A  B\" is not an account: no name has two spaces in a row or a semicolon, or begins with (, [, * or !."
    ),
    (
      "r),2026-01-05,x,A,1,EUR",
      "2:1: \"r)\" is not a reference: it has a parenthesis that closes, or begins or ends with a space."
    ),
    ("r,2026-01-05,x,A,1.005,EUR", "2:18: \"1.005\" has 3 decimals; amounts of EUR have 2."),
    (
      "r,2026-01-05,x,A,92233720368547758.08,EUR",
      "2:18: \"92233720368547758.08\" is too large: no amount is above 92233720368547758.07 EUR."
    ),
    (
      "r,2026-01-05,x,A,1,eur", "2:20: \"eur\" is not a currency: write EUR, which has 2 decimals."
    ),
    (
      "r,2026-01-05,x,A,1,A1",
      "2:20: \"A1\" is not a commodity, as EUR, $ or AAPL is: put any other name in quotes."
    ),
    ("r,2026-01-05,a\u{2028}b,A,1,EUR", "2:15: There is a control character here, U+2028 LINE SEPARATOR."),
    ("r,2026-01-05,\"a\u{85}b\",A,1,EUR", "2:16: There is a control character here, U+0085."),
    ("r,2026-01-05,x,\u{1B}[2J,1,EUR", "2:16: There is a control character here, U+001B."),
    ("r,2026-01-05,x\ty,A,1,EUR", "2:14: There is a control character in this text, U+0009."),
    ("r,2026-02-30,x,A,1,EUR", "2:3: \"2026-02-30\" is not a day: write it as 2026-01-31."),
    ("r,2026-01-05,x,A::B,1,EUR", "2:16: \"A::B\" is not an account: write it as Expenses:Food."),
    (
      "r,2026-01-05,x,A,1,EUR\nr,2026-01-05,x,B,-2,EUR",
      "2:1: \"x\" does not balance: its entries come to -1.00 EUR, not to zero."
    ),
    ("r,2026-01-05,x,A,1,EUR\ns,2026-01-05,x,B,-1,EUR", "2:1: \"x\" has 1 entries, and needs at least two."),
    (
      "r,2026-01-05,x,A,1,EUR\nr,2026-01-06,x,B,-1,EUR",
      "3:3: \"2026-01-06\" differs from the \"2026-01-05\" of the same posting."
    ),
    ("r,2026-01-05,x,A,1,EUR\nr,2026-01-05,y,B,-1,EUR", "3:14: \"y\" differs from the \"x\" of the same posting."),
    (
      ",2026-01-05,x,A,1,EUR\n,2026-01-05,x,B,-1,EUR",
      "2:1: There has to be a text here."
    ),
    ("r,2026-01-05,,A,1,EUR\nr,2026-01-05,,B,-1,EUR", "2:14: There has to be a text here."),
    (
      "r,2026-01-05,\"x\ny\",A,1,EUR\nr,2026-01-05,\"x\ny\",B,-1,EUR",
      "2:14: There is a line break in this text; it has to be one line."
    ),
    ("r,2026-01-05,x,A,1 ,EUR", "2:18: \"1 \" is not an amount: write it as 12.50 or -12.50."),
    ("r,2026-01-05,x,A,1", "2:18: There are 5 fields, and the header has 6."),
    ("r,2026-01-05,x,A,1,EUR\nr,2026-01-05,x,B,-1,EUR,oh", "3:25: There are 7 fields, and the header has 6."),
    ("r,2026-01-05,\"x,A,1,EUR\nr,2026-01-05,x,B,-1,EUR", "2:14: This quote is never closed."),
    (
      "r,2026-01-05,a \"x\",A,1,EUR",
      "2:16: There is a quote in a field that is not in quotes: put it in quotes, and double those in it."
    ),
    ("r,2026-01-05,\"x\" y,A,1,EUR", "2:18: There is a \"y\" after the quotes of a field."),
    (
      "r,2026-01-05,\"é\r\n🇪🇺\", A\"B,1,EUR",
      "3:6: There is a quote in a field that is not in quotes: put it in quotes, and double those in it."
    ),
    (
      "posted,2026-01-05,x,A,1,EUR\nposted,2026-01-05,x,B,-1,EUR", "2:1: \"posted\" has been posted before."
    ),
    (
      "r,2026-01-05,x,A,1,EUR\nr,2026-01-05,x,B,-1,EUR\ns,2026-01-05,x,A,1,EUR\ns,2026-01-05,x,B,-1,EUR\n"
        + "r,2026-01-05,x,A,1,EUR\nr,2026-01-05,x,B,-1,EUR", "6:1: \"r\" has been posted before."
    ),
  ]

  @Test("A malformed CSV file is refused by line and column", arguments: refusals)
  func refused(lines: String, message: String) {
    let error = #expect(throws: LedgerError.self) { try Self.postings(Self.header + lines, posted: ["posted"]) }
    #expect(error?.description == "bank.csv:" + message)
  }

  @Test("Commas, quotes and spaces divide a CSV file even if combining marks follow")
  func combiningMarks() throws {
    let text = "a,\u{301}b\n\"c\"\"\u{301},\",\"\u{301}e\"\n x, \u{301}y\n"
    let table = try CSVTable(text, file: "x")
    let fields = ([table.header] + table.rows).map { $0.map { Array($0.text.unicodeScalars) } }
    #expect(
      fields
        == [["a", "\u{301}b"], ["c\"\u{301},", "\u{301}e"], ["x", "\u{301}y"]].map {
          $0.map { Array($0.unicodeScalars) }
        })
    #expect(table.header.map(\.place.column) == [1, 3])
    let error = #expect(throws: LedgerError.self) { try CSVTable("\"a\"\u{301}", file: "x") }
    #expect(error?.description == "x:1:4: There is a \"\u{301}\" after the quotes of a field.")
  }

  @Test(
    "A CSV file is refused if its columns are not the required ones",
    arguments: [
      ("", "1:1: It is empty."), ("\n\n", "1:1: It is empty."),
      ("reference,date,description,account,amount", "1:1: There is no column \"currency\"."),
      (
        "reference,date,date",
        "1:16: \"date\" is not a column here: there is one each of reference, date, description, account, amount, currency."
      ),
      (
        "\n reference,day",
        "2:12: \"day\" is not a column here: there is one each of reference, date, description, account, amount, currency."
      ),
    ])
  func columns(text: String, message: String) {
    let error = #expect(throws: LedgerError.self) { try Self.postings(text) }
    #expect(error?.description == "bank.csv:" + message)
  }

  @Test(
    "A CSV file that is not UTF-8 is refused by line and column",
    arguments: [[0xE9], [0xEF], [0xEF, 0xBF], [0xF0, 0x9F], [0x80]] as [[UInt8]])
  func encoding(wrong: [UInt8]) {
    let bytes = Array((Self.header + "r,2026-01-05,Caf").utf8) + wrong + Array(",A,1,EUR\n".utf8)
    let error = #expect(throws: LedgerError.self) { try InputText.text(bytes, file: "bank.csv") }
    #expect(error?.description == "bank.csv:2:17: This is not UTF-8.")
  }

  @Test("A CSV table has the fields that were written, and the place where each begins", arguments: 1...200)
  func roundTrip(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let characters: [Character] = ["a", "b", ",", "\"", " ", "\n", "\r\n", "é", "🇪🇺", "\t", ";"]
    let width = Int.random(in: 2...4, using: &generator)
    let records = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      (0..<width).map { _ in
        String((0..<Int.random(in: 0...5, using: &generator)).map { _ in characters.randomElement(using: &generator)! })
      }
    }
    let text = records.map { record in
      record.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\n"
    }.joined()
    let table = try CSVTable(text, file: "x")
    let fields = [table.header] + table.rows
    #expect(fields.map { $0.map(\.text) } == records, "seed \(seed)")
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for place in fields.joined().map(\.place) {
      #expect(lines[place.line - 1].dropFirst(place.column - 1).first == "\"", "seed \(seed)")
    }
  }
}
