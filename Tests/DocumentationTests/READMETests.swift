import Foundation
import Testing

@Suite("README")
struct READMETests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text() throws -> String {
    try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
  }

  @Test("The README links only to files that exist")
  func links() throws {
    let targets = try text().matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.1) }.filter { !$0.contains("://") }
    #expect(!targets.isEmpty)
    for target in targets {
      #expect(FileManager.default.fileExists(atPath: root.appending(path: target).path), "\(target) is not there")
    }
  }

  @Test("The README begins with an example of at most 15 lines")
  func exampleIsShort() throws {
    let lines = try text().components(separatedBy: "\n").drop { $0 != "```swift" }.dropFirst().prefix { $0 != "```" }
    #expect(!lines.isEmpty)
    #expect(lines.count <= 15)
  }

  @Test("The README lists the products of the package")
  func products() throws {
    let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    let products = manifest.matches(of: /\.(?:library|executable)\(name: "([^"]+)"/).map { String($0.1) }
    #expect(!products.isEmpty)
    let readme = try text()
    for product in products { #expect(readme.contains("| `\(product)` |"), "\(product) is not in the README") }
  }
}
