/// The test file in which a document's snippets are compiled and run.
struct SnippetFile: Equatable {
  let name: String
  let text: String

  /// Writes a document's snippets as tests, or returns `nil` if it has none.
  init?(_ document: Document) {
    let snippets = document.snippets.filter { !$0.isForApple }
    if snippets.isEmpty, document.effects.isEmpty { return nil }
    name = document.snippetFile
    var lines = Self.head(of: document)
    let imports = ["AsyncStore", "Testing", document.module].compactMap { $0 }.map { "import \($0)" }
    lines += Set(imports + snippets.flatMap(\.imports)).sorted()
    for snippet in snippets where !snippet.declarations.isEmpty { lines += [""] + snippet.declarations }
    let tests = snippets.filter { !$0.statements.isEmpty }
    if !tests.isEmpty || !document.effects.isEmpty {
      lines += ["", "@Suite(\"Snippets of \(document.path)\")", "struct \(Self.typeName(of: name)): SnippetSuite {"]
      lines += ["  let fixture = Fixture()"]
      for snippet in tests { lines += [""] + Self.test(of: snippet, in: document) }
      if !document.effects.isEmpty { lines += [""] + Self.testOfEffects(in: document) }
      lines += ["}"]
    }
    // The module for services is empty without its trait.
    if lines.contains("import AsyncStoreServices") {
      lines.insert("#if Services", at: Self.head(of: document).count)
      lines.append("#endif")
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Writes a document's snippets for Apple's frameworks, which are type-checked against stubs, or returns `nil` if it
  /// has none.
  init?(forApple document: Document) {
    let snippets = document.snippets.filter(\.isForApple)
    if snippets.isEmpty { return nil }
    name = document.snippetFile
    var lines = Self.head(of: document)
    let imports = ["AsyncStore", document.module].compactMap { $0 }.map { "import \($0)" }
    lines += Set(imports + snippets.flatMap(\.imports)).sorted()
    for snippet in snippets { lines += [""] + snippet.declarations }
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func head(of document: Document) -> [String] {
    [
      "// swift-format-ignore-file",
      "// Made from \(document.path).",
      "// Don't edit it: edit the document, and make it anew with",
      "//   \(command)",
      "// If it doesn't compile any more, delete it before.",
      "",
    ]
  }

  /// The command that regenerates the files.
  static let command = "ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests"

  private static func test(of snippet: Snippet, in document: Document) -> [String] {
    let effects = (snippet.isAsynchronous ? " async" : "") + (snippet.isThrowing ? " throws" : "")
    let name = "Snippet \(snippet.number) of \(document.fileName) yields what its comments say"
    let head = "  @Test(\"\(name)\") func snippet\(snippet.number)()\(effects) {"
    return [head] + snippet.body.map { $0.isEmpty ? "" : "    " + $0 } + ["  }"]
  }

  /// Returns a test that makes each effect, in the store's type.
  private static func testOfEffects(in document: Document) -> [String] {
    ["  @Test(\"The effects in the tables of \(document.fileName) compile\") func effectsInTables() {"]
      + document.effects.flatMap {
        ["    do {", "      let effect: CounterStore.Effect = \($0)", "      _ = effect", "    }"]
      }
      + ["  }"]
  }

  private static func typeName(of file: String) -> String {
    file.dropLast(".swift".count).filter { $0.isLetter || $0.isNumber } + "Snippets"
  }
}
