/// One Swift example.
///
/// Its leading declarations go to file scope if needed: if there is nothing else in it, or if they extend a type.
/// Everything else becomes the body of a test. A comment line `// expression == value` becomes an expectation.
///
/// A snippet that imports one of Apple's frameworks consists of declarations alone, and is type-checked.
struct Snippet {
  let number: Int
  let imports: [String]
  let declarations: [String]
  let statements: [String]

  private static let declarationWords: Set<Substring> = [
    "struct", "enum", "class", "actor", "protocol", "extension", "typealias", "func", "final", "private",
    "fileprivate", "public",
  ]

  private static let appleModules: Set<String> = ["Combine", "SwiftUI", "UIKit"]

  /// Parses the lines of a block.
  init(lines: [String], number: Int, place: String) throws {
    self.number = number
    imports = lines.filter { $0.hasPrefix("import ") }
    let lines = Self.trimmed(lines.filter { !$0.hasPrefix("import ") })
    let start = lines.indices.first { Self.beginsStatement(lines[$0]) } ?? lines.endIndex
    let leading = lines[..<start]
    let mustHoist = start == lines.endIndex || leading.contains { $0.hasPrefix("extension ") }
    declarations = mustHoist ? Self.trimmed(Array(leading)) : []
    statements = Self.trimmed(Array(mustHoist ? lines[start...] : lines[...]))
    if lines.isEmpty { throw DocumentError("\(place): the snippet is empty") }
    if isForApple, !statements.isEmpty {
      throw DocumentError("\(place): a snippet for Apple's frameworks is type-checked and not run, and only declares")
    }
    // The last line may be within a closure.
    let last = statements.last { !$0.allSatisfy { " })".contains($0) } }
    if let last, Self.expectation(in: last) == nil {
      throw DocumentError("\(place): the snippet must end in something to observe, a line `// expression == value`")
    }
  }

  /// The snippet as the lines of a test's body.
  var body: [String] {
    statements.map { line in
      guard let expression = Self.expectation(in: line) else { return line }
      return String(line.prefix { $0 == " " }) + "#expect(\(expression))"
    }
  }

  /// True if the snippet imports one of Apple's frameworks, so that it is type-checked against stubs and not run.
  var isForApple: Bool { imports.contains { Self.appleModules.contains(String($0.dropFirst("import ".count))) } }
  /// True if the snippet contains an `await`.
  var isAsynchronous: Bool { statements.contains { $0.contains("await ") } }
  /// True if the snippet contains a `try`.
  var isThrowing: Bool { statements.contains { $0.contains("try ") } }

  private static func beginsStatement(_ line: String) -> Bool {
    guard let first = line.first, first != " ", first != "}", first != ")", first != "@", !line.hasPrefix("//") else {
      return false
    }
    return !declarationWords.contains(line.prefix { $0 != " " })
  }

  private static func expectation(in line: String) -> Substring? {
    let code = line.drop { $0 == " " }
    guard code.hasPrefix("// "), code.contains(" == ") else { return nil }
    return code.dropFirst(3)
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    let isBlank: (String) -> Bool = { $0.allSatisfy { $0 == " " } }
    return Array(Array(lines.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
  }
}
