import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("The line that replays a schedule")
struct ReplayLineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("of a trap is read by a shell as it is meant")
  func trap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1), filePath: "/It's odd $x.swift", line: 7, function: "`traps in it's (own) $way`()") {
        _ in
        fatalError("always")
      }
    }
    let arguments = try await shellArguments(of: try replayCommand(in: errorText(of: result)))
    try check(arguments, file: "It's odd $x.swift:7", test: "traps in it's (own) $way")
  }

  @Test("of a file with a quote in its name is read by a shell as it is meant")
  func quotedFile() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.seeds(1), filePath: "/It's 'odd' $x.swift", line: 7) { _ in throw Failure("always") }
      })
    let arguments = try await shellArguments(of: try replayCommand(in: failure.description))
    try check(arguments, file: "It's 'odd' $x.swift:7", test: "quotedFile")
  }

  @Test
  func `of a test's name (with parentheses, first(x) and second) names the whole test`() async throws {
    let line = #line + 1
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.seeds(1)) { _ in throw Failure("always") } })
    let arguments = try await shellArguments(of: try replayCommand(in: failure.description))
    try check(
      arguments, file: "ReplayLineTests.swift:\(line)",
      test: "of a test's name (with parentheses, first(x) and second) names the whole test")
  }

  @Test(
    "has the test's name without its arguments",
    arguments: [
      ("order()", "order"), ("order(_:by:)", "order"), ("order", "order"), ("`(a) b`()", "`(a) b`"),
      ("`calls f(x)`(n:)", "`calls f(x)`"), ("order(`a(b`:)", "order"), ("(a) b()", "(a) b"), ("`a(b`", "`a(b`"),
      ("()", "…"), ("", "…"),
    ])
  func testName(function: String, name: String) {
    #expect(ExplorationSite.testName(of: function) == name)
  }

  @Test(
    "has a filter that is a pattern of the test's name",
    arguments: ["a — b", "(a) [b] {c}", "✓ 100 % + ü.é*", "~^|?&#!\"\\"])
  func pattern(name: String) throws {
    let filter = ExplorationSite.filter(for: "`\(name)`")
    let pattern = try Regex(String(filter.dropFirst().dropLast()))
    #expect("Module.Suite/`\(name)`()".contains(pattern))
  }

  private func check(_ arguments: [String], file: String, test: String) throws {
    #expect(arguments.count == 4)
    #expect(arguments[0].hasSuffix("@\(file)"))
    #expect(arguments[1...2] == ["test", "--filter"])
    let name = "AsyncStoreTestingTests.Suite/`\(test)`()"
    #expect(name.contains(try Regex(arguments[3])))
    #expect(!"Another/`test`()".contains(try Regex(arguments[3])))
  }
}
