import Foundation
import Testing

@Suite("The rows of the guides that name what another library has")
struct RowTests {
  @Test("are each a test of that name", arguments: ["Store", "SwiftDux", "ObservableStore"])
  func rows(_ library: String) throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let guide = "Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFrom\(library).md"
    let rows = try String(contentsOf: root.appending(path: guide), encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }.dropFirst().map { String($0.dropFirst(2).prefix { $0 != "|" }.dropLast()) }
    let tests = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "ComingFrom\(library)Tests.swift"),
      encoding: .utf8)
    #expect(rows.count > 8)
    #expect(rows.filter { !tests.contains("@Test(\"\($0)\")") } == [])
  }
}
