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

  /// The names in the first column of the table in a file's comments.
  private static func table(of path: String) throws -> [String] {
    try source(path).split(separator: "\n").filter { $0.hasPrefix("/// | `") }
      .flatMap { names(in: $0.dropFirst(6).prefix { $0 != "|" }) }
  }

  private static func names(in text: some StringProtocol) -> [String] {
    String(text).matches(of: /`(\w+)`/).map { String($0.1) }
  }

  /// The files of the rules, with the first words of their comments.
  private static func heads() throws -> [(file: String, text: String)] {
    try FileManager.default.contentsOfDirectory(atPath: interpreter.appending(path: "Rules").path()).sorted()
      .filter { $0.hasPrefix("Machine+") }
      .map { file in
        let lines = try source("Rules/\(file)").split(separator: "\n").prefix { $0.hasPrefix("///") }
        return (file, lines.map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }.joined(separator: " "))
      }
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
    let files = try ["Machine.swift"] + Self.heads().map { "Rules/\($0.file)" }
    let code = try files.map(Self.source).joined(separator: "\n")
    // The method's own body ends where a line closes at its level.
    let methods = code.matches(of: /\n  mutating func (\w+)[\s\S]*?\n  \}\n/)
    let stepping = Set(methods.filter { $0.0.contains("    step(&pass)\n") }.map { String($0.1) })
    let table = try Self.table(of: "Machine.swift")
    #expect(Set(table).count == table.count)
    #expect(Set(table).isSubset(of: methods.map { String($0.1) }))
    // A suspended pass resumes: no event of its own.
    #expect(stepping.subtracting(table) == ["resume"])
  }

  @Test("The tables agree with the heads of the rules, which name laws, events and activities")
  func rules() throws {
    let (events, activities) = (try Self.table(of: "Machine.swift"), try Self.table(of: "Fiber.swift"))
    let heads = try Self.heads()
    #expect(heads.count > 15)
    for (file, text) in heads {
      let parts = try #require(
        text.firstMatch(of: /Laws? \d[^.]*\. Events: (.*?)\. Activities: (.*?)(\.|$)/),
        "\(file) does not begin with its laws, its events and its activities")
      #expect(Set(Self.names(in: parts.1)).isSubset(of: events), "\(file)")
      #expect(Set(Self.names(in: parts.2)).isSubset(of: activities), "\(file)")
    }
    #expect(Set(heads.flatMap { Self.names(in: $0.text) }).isSuperset(of: activities), "an activity without a rule")
  }
}
