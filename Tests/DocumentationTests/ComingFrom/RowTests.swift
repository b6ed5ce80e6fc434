import Foundation
import Testing

@Suite("The rows of the guides that name what another library has")
struct RowTests {
  @Test(
    "Each row of the guides for coming from another library ends the name of a test",
    arguments: [
      ("AsyncStore", "AsyncStore"), ("AsyncStoreActions", "Store"), ("AsyncStoreActions", "SwiftDux"),
      ("AsyncStoreActions", "ObservableStore"),
    ])
  func rows(_ module: String, _ library: String) throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let guide = "Sources/\(module)/\(module).docc/ComingFrom\(library).md"
    // A guide has one table or more.
    let rows = try String(contentsOf: root.appending(path: guide), encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }.map { String($0.dropFirst(2).prefix { $0 != "|" }.dropLast()) }
      .filter { !["there", library].contains($0) }
    let tests = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "ComingFrom\(library)Tests.swift"),
      encoding: .utf8)
    // Raw strings, and others.
    let names = tests.matches(of: /@Test\(\s*(?:#"(.*?)"#|"((?:\\.|[^"\\])*)")/).compactMap { $0.1 ?? $0.2 }
    #expect(rows.count > 8)
    #expect(rows.filter { row in names.count { $0.hasSuffix(" \(row)") } != 1 } == [])
  }
}
