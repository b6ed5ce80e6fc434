import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("The line that replays a schedule")
struct ReplayLineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("The replay line of a trap survives the shell's quoting")
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
    try check(arguments, file: "It's odd $x.swift:7", test: "Suite/`traps in it's (own) $way`()")
    #expect("M.Class/traps in it's (own) $way".contains(try Regex(arguments[3])), "of XCTest")
  }

  @Test("A shell reads the replay line of a file with a quote in its name as it is meant")
  func quotedFile() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.seeds(1), filePath: "/It's 'odd' $x.swift", line: 7) { _ in throw Failure("always") }
      })
    let arguments = try await shellArguments(of: try replayCommand(in: failure.description))
    try check(arguments, file: "It's 'odd' $x.swift:7", test: "ReplayLineTests/quotedFile()")
  }

  @Test
  func `A replay line has a test's whole name (with parentheses, first(x) and second)`() async throws {
    let line = #line + 1
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.seeds(1)) { _ in throw Failure("always") } })
    let arguments = try await shellArguments(of: try replayCommand(in: failure.description))
    try check(
      arguments, file: "ReplayLineTests.swift:\(line)",
      test: "ReplayLineTests/`A replay line has a test's whole name (with parentheses, first(x) and second)`()")
  }

  @Test(
    "A replay line has the test's name without its arguments",
    arguments: [
      ("order()", "order"), ("order(_:by:)", "order"), ("order", "order"), ("`(a) b`()", "`(a) b`"),
      ("`calls f(x)`(n:)", "`calls f(x)`"), ("order(`a(b`:)", "order"), ("(a) b()", "(a) b"), ("`a(b`", "`a(b`"),
      ("()", "…"), ("", "…"),
    ])
  func testName(function: String, name: String) {
    #expect(ExplorationSite.testName(of: function) == name)
  }

  @Test(
    "The filter of a replay line is a pattern that matches the test's name, whatever is in it",
    arguments: ["a — b", "(a) [b] {c}", "✓ 100 % + ü.é*", "~^|?&#!\"\\"])
  func pattern(name: String) throws {
    let filter = ExplorationSite.filter(for: "`\(name)`")
    let pattern = try Regex(String(filter.dropFirst().dropLast()))
    #expect("Module.Suite/`\(name)`()".contains(pattern))
    #expect("Module.Suite/`\(name)`()/File.swift:1:2".contains(pattern))
    #expect("Module.Class/\(name)".contains(pattern))
    for other in ["Suite/`x\(name)`()", "Suite/`\(name)x`()", "Class/x\(name)", "Class/\(name)x"] {
      #expect(!"Module.\(other)".contains(pattern), "\(other)")
    }
  }

  @Test(
    "The filter of a replay line matches no other test's name",
    arguments: [
      ("l4", "M.S/l4()/F.swift:1:2", ["M.S/l4p()/F.swift:1:2", "M.S/al4()/F.swift:1:2", "M.l4/a()/F.swift:1:2"]),
      ("testFoo", "M.C/testFoo", ["M.C/testFooBar", "M.C/testfoo", "M.testFoo/testBar"]),
      ("order", "M.order(by:)/F.swift:1:2", ["M.reorder(by:)/F.swift:1:2"]),
    ])
  func oneFunction(function: String, name: String, others: [String]) throws {
    let pattern = try Regex(String(ExplorationSite.filter(for: function).dropFirst().dropLast()))
    #expect(name.contains(pattern))
    #expect(others.filter { $0.contains(pattern) } == [])
  }

  @Test("The filter of a replay line has the whole name of a known test, with arguments", arguments: [1])
  func whole(number: Int) throws {
    let filter = ExplorationSite(function: "whole(number:)").filter
    #expect(filter == #"'^AsyncStoreTestingTests\.ReplayLineTests/whole\(number:\)(/|$)'"#)
    let pattern = try Regex(String(filter.dropFirst().dropLast()))
    let name = "AsyncStoreTestingTests.ReplayLineTests/whole"
    #expect("\(name)(number:)/ReplayLineTests.swift:1:2".contains(pattern))
    for other in ["\(name)(number:)x", "\(name)(other:)", "\(name)r(number:)", "X\(name)(number:)", "\(name)()"] {
      #expect(!other.contains(pattern), "\(other)")
    }
  }

  private func check(_ arguments: [String], file: String, test: String) throws {
    #expect(arguments.count == 4)
    #expect(arguments[0].hasSuffix("@\(file)"))
    #expect(arguments[1...2] == ["test", "--filter"])
    let name = "AsyncStoreTestingTests.\(test)"
    #expect(name.contains(try Regex(arguments[3])))
    #expect("\(name)/File.swift:1:2".contains(try Regex(arguments[3])))
    #expect(!"Another/`test`()".contains(try Regex(arguments[3])))
  }
}
