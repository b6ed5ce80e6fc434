import Foundation
import Testing

@testable import Ledger

/// Compares the ledger's reports with hledger's.
///
/// The answers in `Fixtures` are those of hledger 1.25 to the arguments below, with `--infer-equity -O csv`.
@Suite("The ledger and hledger")
struct HledgerTests {
  struct Question: CustomStringConvertible, Sendable {
    let isRegister: Bool
    let patterns: [String]
    let depth: Int?
    /// The index of the report.
    let name: String

    var arguments: [String] {
      [isRegister ? "register" : "balance", "--infer-equity", "-O", "csv"] + (depth.map { ["--depth", "\($0)"] } ?? [])
        + patterns
    }

    var description: String { name }
  }

  static let questions = [
    Question(isRegister: false, patterns: [], depth: nil, name: "balance"),
    Question(isRegister: false, patterns: [], depth: 1, name: "balance-depth-1"),
    Question(isRegister: false, patterns: ["FOOD", "^assets:b"], depth: nil, name: "balance-food-assets-b"),
    Question(isRegister: true, patterns: [], depth: nil, name: "register"),
    Question(isRegister: true, patterns: ["^assets:cash"], depth: 2, name: "register-cash-depth-2"),
  ]

  static let journals = ["household", "subset"]

  static func journal(_ name: String) throws -> String {
    guard name == "household" else { return try Fixture.text("\(name).journal") }
    let samples = URL(filePath: #filePath).appending(path: "../../..").standardized
    return String(decoding: try Data(contentsOf: samples.appending(path: "Examples/household.journal")), as: UTF8.self)
  }

  /// A line of an answer, of either program.
  struct Line: Hashable {
    /// The account, and in a register the day and the description.
    let title: [String]
    let amounts: Set<Amount>
    /// The running total of a register's lines.
    let total: Set<Amount>
  }

  /// Amounts as hledger writes them.
  static func amounts(_ text: String) throws -> Set<Amount> {
    text == "0" ? [] : Set(try text.split(separator: ", ").map { try Amount(String($0)) })
  }

  /// The lines of hledger's answer.
  static func lines(ofCSV text: String, isRegister: Bool) throws -> [Line] {
    try CSVTable(text, file: "hledger").rows.map { row in
      let fields = row.map(\.text)
      return isRegister
        ? Line(
          title: [fields[1], fields[3], fields[4]], amounts: try amounts(fields[5]), total: try amounts(fields[6]))
        : Line(title: [fields[0]], amounts: try amounts(fields[1]), total: [])
    }
  }

  /// The ledger's lines, in hledger's form: the amounts of an account together.
  static func lines(_ question: Question, of text: String) throws -> [Line] {
    var books = Books()
    try books.perform(.post(postings: HledgerJournal(text, file: "journal", posted: []).postings))
    let selection = Selection(try question.patterns.map(AccountPattern.init), depth: question.depth)
    guard question.isRegister else {
      let balances = try Balances(books.journal, of: selection)
      let accounts = try Dictionary(grouping: balances.accounts, by: \.account).mapValues { try $0.map(amount) }
      let total = Line(title: ["total"], amounts: Set(try balances.total.map(amount)), total: [])
      return accounts.map { Line(title: [$0], amounts: Set($1), total: []) } + [total]
    }
    return try Register(books.journal, of: selection).lines.map { line in
      Line(
        title: [line.date, line.description, line.account],
        amounts: [try Amount(line.amount, Commodity(named: line.currency))],
        total: Set(try line.total.map { try Amount($0) }))
    }
  }

  private static func amount(_ line: Balances.Line) throws -> Amount {
    try Amount(line.amount, Commodity(named: line.currency))
  }

  static func compare(_ question: Question, _ text: String, with answer: String, _ comment: Comment) throws {
    let expected = try lines(ofCSV: answer, isRegister: question.isRegister)
    let actual = try lines(question, of: text)
    guard question.isRegister else {
      #expect(Set(actual) == Set(expected), comment)
      #expect(actual.count == expected.count, comment)
      return
    }
    // An amount that was missing is one of several commodities there, and several entries here.
    var rest = actual[...]
    for line in expected {
      let same = rest.prefix(max(1, line.amounts.count))
      #expect(Set(same.map(\.title)) == [line.title], comment)
      #expect(Set(same.flatMap(\.amounts).filter { $0.units != 0 }) == line.amounts, comment)
      #expect(same.last?.total == line.total, comment)
      rest = rest.dropFirst(same.count)
    }
    #expect(rest.isEmpty, comment)
  }

  @Test("The ledger's reports equal the recorded answers of hledger", arguments: journals, questions)
  func fixtures(name: String, question: Question) throws {
    try Self.compare(
      question, Self.journal(name), with: Fixture.text("\(name).\(question.name).csv"), "\(name), \(question)")
  }

  static let hledger = "/usr/bin/hledger"
  static let isLive = TestSize.isNightly && FileManager.default.isExecutableFile(atPath: hledger)

  /// The output of the installed hledger.
  static func answer(_ arguments: [String], to text: String) throws -> String {
    let folder = try Folder()
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: hledger)
    process.arguments = ["-f", try folder.write(text, to: "x.journal")] + arguments
    process.environment = ["LC_ALL": "C.UTF-8"]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  @Test(
    "The ledger's reports equal the answers of the installed hledger", .enabled(if: isLive), arguments: journals,
    questions)
  func live(name: String, question: Question) throws {
    let text = try Self.journal(name)
    try Self.compare(question, text, with: Self.answer(question.arguments, to: text), "\(name), \(question)")
  }

  @Test(
    "The ledger and hledger agree on generated journals and on what the ledger prints of them", .enabled(if: isLive),
    arguments: 1...40)
  func generated(seed: UInt64) throws {
    let text = try Self.journal(seed: seed)
    var books = Books()
    try books.perform(.post(postings: HledgerJournal(text, file: "journal", posted: []).postings))
    for question in Self.questions.filter(\.patterns.isEmpty) {
      let answer = try Self.answer(question.arguments, to: text)
      try Self.compare(question, text, with: answer, "seed \(seed), \(question)")
      let printed = PrintedJournal(books.journal).text
      try Self.compare(
        question, text, with: Self.answer(question.arguments, to: printed), "seed \(seed), \(question), printed")
    }
  }

  /// Transactions of any kind that can be imported.
  static func journal(seed: UInt64) throws -> String {
    var generator = SplitMix64(seed: seed)
    func any(_ texts: String...) -> String { texts.randomElement(using: &generator) ?? "" }
    func number(_ decimals: Int) -> String {
      let digits = "\(Int.random(in: 1...99_999, using: &generator))"
      let fraction = String("\(Int.random(in: 1_000...1_999, using: &generator))".dropFirst().prefix(decimals))
      return any("", "-") + digits + (decimals == 0 ? "" : "." + fraction)
    }
    func amount() -> String {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: "$" + number(2)
      case 1: number(any("a", "") == "" ? 1 : 2) + any(" EUR", "EUR")
      case 2: number(0) + " JPY"
      case 3: "-$\(Int.random(in: 1...999, using: &generator))"
      default:
        number(3) + any(" AAPL", " \"VIS 2026\"") + any("", " @@ $\(Int.random(in: 1...99, using: &generator)).5")
      }
    }
    return (1...12).map { number in
      let separator = any("-", "/", ".")
      let day = ["2026", any("1", "01", "12"), any("2", "02", "28")].joined(separator: separator)
      let head =
        day + any(" ", " * ", " ! ") + any("", "(c\(number)) ") + any("Coffee", "a | b", "") + any("", "  ; note")
      let entries = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        "  " + any("a", "a:b", "a:b:c", "My Account", "é:x") + any("  ", "   ", " \t", "\t\t") + amount()
          + any("", " ; c")
      }
      return ([head] + entries + ["    equity:rest"]).joined(separator: "\n") + any("\n\n", "\n\n; c\n")
    }.joined()
  }
}

extension Commodity {
  /// The commodity of a symbol that stands in a column of its own, without quotes.
  fileprivate init(named name: String) throws(LedgerError) {
    do {
      try self.init(name)
    } catch {
      try self.init("\"\(name)\"")
    }
  }
}
