/// The test file in which a document's snippets are compiled and run.
struct SnippetFile: Equatable {
  let name: String
  let text: String

  /// Writes a document's snippets as tests.
  init(_ document: Document) {
    name = document.snippetFile
    var lines = [
      "// swift-format-ignore-file",
      "// Made from \(document.path). Don't edit it: edit the document, and make it anew with",
      "//   \(Self.command)",
      "// If it doesn't compile any more, delete it before.",
      "",
    ]
    let imports = ["AsyncStore", "Testing", document.module].compactMap { $0 }.map { "import \($0)" }
    lines += Set(imports + document.snippets.flatMap(\.imports)).sorted()
    for snippet in document.snippets where !snippet.declarations.isEmpty { lines += [""] + snippet.declarations }
    let tests = document.snippets.filter { !$0.statements.isEmpty }
    if !tests.isEmpty {
      lines += ["", "@Suite(\"Snippets of \(document.path)\")", "struct \(Self.typeName(of: name)): SnippetSuite {"]
      lines += ["  let fixture = Fixture()"]
      for snippet in tests { lines += [""] + Self.test(of: snippet) }
      lines += ["}"]
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// The command that regenerates the files.
  static let command = "ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests"

  private static func test(of snippet: Snippet) -> [String] {
    let effects = (snippet.isAsynchronous ? " async" : "") + (snippet.isThrowing ? " throws" : "")
    let head = "  @Test(\"snippet \(snippet.number)\") func snippet\(snippet.number)()\(effects) {"
    return [head] + snippet.body.map { $0.isEmpty ? "" : "    " + $0 } + ["  }"]
  }

  private static func typeName(of file: String) -> String {
    file.dropLast(".swift".count).filter { $0.isLetter || $0.isNumber } + "Snippets"
  }
}
