import Foundation
import Testing

@Suite("Snippets")
struct SnippetFileTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("The compiled snippets are those of the documents")
  func filesAreCurrent() throws {
    let documents = try documents()
    try check(documents.compactMap { SnippetFile($0) }, in: root.appending(path: "Tests/DocumentationTests/Snippets"))
    try check(documents.compactMap { SnippetFile(forApple: $0) }, in: root.appending(path: ".ci/stubs/Snippets"))
  }

  /// Compares the files in a folder with those that are expected, and writes them before if that was asked for.
  private func check(_ expected: [SnippetFile], in folder: URL) throws {
    if ProcessInfo.processInfo.environment["ASYNCSTORE_REGENERATE_SNIPPETS"] == "1" { try write(expected, to: folder) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == expected.map(\.name).sorted(), "Make the files anew: \(SnippetFile.command)")
    for file in expected {
      let text = try? String(contentsOf: folder.appending(path: file.name), encoding: .utf8)
      #expect(text == file.text, "\(file.name) is not what its document says. Make it anew: \(SnippetFile.command)")
    }
  }

  @Test("A code block must name its language and end")
  func languageIsRequired() {
    #expect(throws: DocumentError.self) { try Document(path: "A.md", text: "```\nlet a = 1\n```") }
    #expect(throws: DocumentError.self) { try Document(path: "A.md", text: "```swift\nlet a = 1") }
  }

  @Test("A snippet must end in something to observe")
  func expectationIsRequired() throws {
    #expect(throws: DocumentError.self) { try Document(path: "A.md", text: "```swift\nlet a = 1\n```") }
    let snippets = try Document(path: "A.md", text: "```swift\nlet a = 1\n// a == 1\n```").snippets
    #expect(snippets.first?.body == ["let a = 1", "#expect(a == 1)"])
  }

  @Test("A snippet that only declares is compiled at file scope, and any other in a test")
  func declarationsAreHoisted() throws {
    let text = "/// ```swift\n/// extension Int {\n///   var two: Int { 2 }\n/// }\n/// // 1.two == 2\n/// ```"
    #expect(throws: DocumentError.self) { try Document(path: "A.swift", text: "/// ```\n/// ```") }
    let declaring = try Document(path: "A.swift", text: text.replacing("/// // 1.two == 2\n", with: ""))
    #expect(declaring.snippets.first?.statements == [])
    let both = try Document(path: "A.swift", text: text.replacing("// 1.two", with: "let one = 1\n/// // one.two"))
    #expect(both.snippets.first?.declarations == ["extension Int {", "  var two: Int { 2 }", "}"])
    #expect(both.snippets.first?.statements == ["let one = 1", "// one.two == 2"])
  }

  @Test("A snippet that shows a package is compiled without importing the package's modules")
  func ownModulesAreNotImported() throws {
    let manifest = "```text\n.executableTarget(\n  name: \"Own\")\n```\n"
    let text = manifest + "```swift\nimport Foundation\n@testable import Own\n\nstruct A {}\n```"
    let snippet = try #require(try Document(path: "A.md", text: text).snippets.first)
    #expect(snippet.imports == ["import Foundation"])
    #expect(snippet.declarations == ["struct A {}"])
  }

  @Test("A snippet for Apple's frameworks only declares, and is type-checked separately")
  func appleSnippetsAreTypeChecked() throws {
    #expect(throws: DocumentError.self) {
      try Document(path: "A.md", text: "```swift\nimport SwiftUI\nlet a = 1\n// a == 1\n```")
    }
    let document = try Document(path: "A.md", text: "```swift\nimport SwiftUI\nstruct A {}\n```")
    #expect(SnippetFile(document) == nil)
    #expect(SnippetFile(forApple: document)?.text.contains("struct A {}") == true)
  }

  @Test("A table with the column `in code` lists one effect in each row")
  func effectsInTables() throws {
    let table = "| need | in code |\n|---|---|\n| to wait | `.sleep(1)` |\n\n| a | b |\n|---|---|\n| c | d |"
    #expect(try Document(path: "A.md", text: table).effects == [".sleep(1)"])
    #expect(throws: DocumentError.self) { try Document(path: "A.md", text: "| a | in code |\n| b | c |") }
  }

  private func documents() throws -> [Document] {
    let sources = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
    let paths = ["README.md"] + sources.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "Sources/" + $0 }
    return try paths.sorted().map { path in
      try Document(path: path, text: String(contentsOf: root.appending(path: path), encoding: .utf8))
    }
  }

  private func write(_ files: [SnippetFile], to folder: URL) throws {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files {
      try file.text.write(to: folder.appending(path: file.name), atomically: true, encoding: .utf8)
    }
  }
}
