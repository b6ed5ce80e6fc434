import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("The line that replays a schedule")
struct ReplayLineTests {
  @Test("of a trap is read by a shell as it is meant")
  func trap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await explore(.seeds(1), filePath: "/OddTests.swift", line: 7, function: "`traps in it's own $way`()") {
        _ in
        fatalError("always")
      }
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Replay it: ") })
    let arguments = try await shellArguments(of: line.dropFirst("Replay it: ".count))
    try check(arguments, file: "OddTests.swift:7", test: "traps in it's own $way")
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
