import Foundation
import Testing

/// The tables and heads in the machine's comments, compared with its code.
@Suite("The machine's tables")
struct MachineTableTests {
  private static let interpreter = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/AsyncStore/Interpreter")

  private static func source(_ path: String) throws -> String {
    try String(contentsOf: interpreter.appending(path: path), encoding: .utf8)
  }

  /// A column of the table of names in a file's comments.
  private static func column(_ index: Int, ofTableIn path: String) throws -> [Substring] {
    try source(path).split(separator: "\n").filter { $0.hasPrefix("/// | `") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false)[index] }
  }

  /// The names in the first column of the table in a file's comments.
  private static func table(of path: String) throws -> [String] {
    try column(1, ofTableIn: path).flatMap(names)
  }

  private static func names(in text: some StringProtocol) -> [String] {
    String(text).matches(of: /`(\w+)`/).map { String($0.1) }
  }

  /// The code of a file, without comments.
  private static func code(_ path: String) throws -> String {
    try source(path).replacing(#/ *//.*/#, with: "")
  }

  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: interpreter.appending(path: folder).path()).sorted()
      .filter { $0.hasSuffix(".swift") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
  }

  /// The files of the rules, with the first words of their comments.
  private static func heads() throws -> [(file: String, text: String)] {
    try files(in: "Rules").map { file in
      let lines = try source(file).split(separator: "\n").prefix { $0.hasPrefix("///") }
      return (file, lines.map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }.joined(separator: " "))
    }
  }

  /// The methods among `events` that a file declares.
  private static func declared(in file: String, of events: [String]) throws -> Set<String> {
    let code = try code(file)
    return Set(events.filter { code.contains("\n  mutating func \($0)(") })
  }

  @Test("The table of activities lists each activity of a fiber once")
  func activities() throws {
    let code = try Self.source("Fiber.swift")
    let body = try #require(code.firstMatch(of: /enum Activity \{\n([\s\S]*?)\n  \}\n/)).1
    let cases = body.split(separator: "\n").filter { $0.contains(#/^ +case /#) }
      .flatMap { $0.replacing(/\(.*\)/, with: "").replacing("case", with: "").split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(cases.count > 20)
    #expect(try Self.table(of: "Fiber.swift").sorted() == cases.sorted())
  }

  @Test("The guide's table of directives lists each directive once")
  func directives() throws {
    let guide = try Self.source("../AsyncStore.docc/Interpreter.md")
    let rows = try #require(guide.firstMatch(of: /\| directive \|.*\n\|.*\n((?:\|.*\n)+)/)).1
    let table = rows.split(separator: "\n").flatMap { Self.names(in: $0.dropFirst().prefix { $0 != "|" }) }
    let cases = try Self.source("Directive.swift").matches(of: /\n  (?:indirect )?case (\w+)/).map { String($0.1) }
    #expect(cases.count > 10)
    #expect(table.sorted() == cases.sorted())
  }

  @Test("The table of events lists methods, and all methods that end with a step")
  func events() throws {
    let code = try (Self.files(in: "") + Self.files(in: "Rules")).map(Self.source).joined(separator: "\n")
    // The method's own body ends where a line closes at its level.
    let methods = code.matches(of: /\n  mutating func (\w+)[\s\S]*?\n  \}\n/)
    let stepping = Set(methods.filter { $0.0.contains("    step(&pass)\n") }.map { String($0.1) })
    let table = try Self.table(of: "Machine.swift")
    #expect(Set(table).count == table.count)
    #expect(Set(table).isSubset(of: methods.map { String($0.1) }))
    // A suspended pass resumes: no event of its own.
    #expect(stepping.subtracting(table) == ["resume"])
  }

  @Test("The table of activities names events that exist")
  func transitions() throws {
    let events = try Set(Self.table(of: "Machine.swift"))
    for cell in try Self.column(3, ofTableIn: "Fiber.swift") {
      #expect(events.isSuperset(of: Self.names(in: cell)), "\(cell)")
      let words = cell.replacing(/`\w+`/, with: "").matches(of: /\w+/).map { String($0.0) }
      #expect(events.isDisjoint(with: words) && words.allSatisfy { $0 == $0.lowercased() }, "not quoted: \(cell)")
    }
  }

  @Test("The head of each rule names the events that its file declares, and the activities that it sets")
  func rules() throws {
    let (events, activities) = (try Self.table(of: "Machine.swift"), try Self.table(of: "Fiber.swift"))
    let heads = try Self.heads()
    #expect(heads.count > 15)
    var claims: Set<String> = []
    var named = try Self.files(in: "").reduce(into: Set()) { $0.formUnion(try Self.declared(in: $1, of: events)) }
    for (file, text) in heads {
      let parts = try #require(
        text.firstMatch(of: /Laws? \d[^.]*\. Events: (.*?)\. Activities: (.*?)(\.|$)/),
        "\(file) does not begin with its laws, its events and its activities")
      #expect(Set(Self.names(in: parts.1)) == (try Self.declared(in: file, of: events)), "\(file)")
      named.formUnion(Self.names(in: parts.1))

      let code = try Self.code(file)
      let mentioned = Set(code.matches(of: /\.(\w+)/).map { String($0.1) }).intersection(activities)
      let set = Set(code.matches(of: /\bactivity = .*/).flatMap { $0.0.matches(of: /\.(\w+)/).map { String($0.1) } })
        .intersection(activities)
      let claimed = Set(Self.names(in: parts.2))
      claims.formUnion(claimed)
      #expect(claimed.isSuperset(of: set), "\(file) sets \(set.subtracting(claimed).sorted())")
      #expect(claimed.isSubset(of: mentioned), "\(file) has no \(claimed.subtracting(mentioned).sorted())")
    }
    #expect(named == Set(events), "an event without a rule")
    #expect(claims == Set(activities), "an activity without a rule")
  }
}
