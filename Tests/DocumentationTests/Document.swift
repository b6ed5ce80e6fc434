import Foundation

/// A file with Swift snippets: a page in Markdown, or a source file with examples in its doc comments.
struct Document {
  /// The path from the root of the repository.
  let path: String
  let snippets: [Snippet]
  /// The code in the rows of tables whose last column is `in code`: one effect each.
  let effects: [String]

  /// Reads the snippets of a file.
  init(path: String, text: String) throws {
    self.path = path
    let lines = path.hasSuffix(".swift") ? Self.docComments(of: text) : text.components(separatedBy: "\n")
    // The targets of a manifest that the document shows. Their code is compiled here without being a module.
    let targets = text.matches(of: /[tT]arget\(\s*name: "(\w+)"/).map { String($0.1) }
    snippets = try Self.blocks(in: lines, of: path, without: targets)
    effects = try Self.effects(in: lines, of: path)
  }

  /// The last part of the path.
  var fileName: String { URL(filePath: path).lastPathComponent }

  /// The module that the document is about, or `nil` for the whole package.
  var module: Substring? {
    let folders = path.split(separator: "/")
    return folders.first == "Sources" ? folders[1] : nil
  }

  /// The name of the file with the document's compiled snippets.
  var snippetFile: String {
    let words = path.split(separator: ".").dropLast().joined(separator: ".").split(separator: "/")
    return words.filter { $0 != "Sources" }.map { $0.replacing(".docc", with: "") }.joined(separator: "-") + ".swift"
  }

  /// Returns the text of the `///` comments.
  ///
  /// Other lines are empty, so that line numbers stay the same.
  private static func docComments(of text: String) -> [String] {
    text.components(separatedBy: "\n").map { line in
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("///") else { return "" }
      let comment = line.dropFirst(3)
      return String(comment.hasPrefix(" ") ? comment.dropFirst() : comment)
    }
  }

  /// The languages that a block may have: Swift, which is compiled, or something that is not Swift.
  private static let languages = ["swift", "sh", "text"]

  /// Returns the Swift blocks between fences.
  ///
  /// A block has to name a known language. Otherwise a misspelt one would be skipped in silence.
  private static func blocks(in lines: [String], of path: String, without modules: [String]) throws -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (language: String, line: Int, code: [String])?
    for (index, line) in lines.enumerated() {
      let trimmed = line.drop { $0 == " " }
      guard trimmed.hasPrefix("```") else {
        open?.code.append(line)
        continue
      }
      guard let block = open else {
        let language = trimmed.dropFirst(3).trimmingCharacters(in: .whitespaces)
        guard languages.contains(language) else {
          throw DocumentError("\(path):\(index + 1): the block must name its language, one of \(languages)")
        }
        open = (language, index + 1, [])
        continue
      }
      open = nil
      if block.language == "swift" {
        let place = "\(path):\(block.line)"
        let code = block.code.filter { line in !modules.contains { line.hasSuffix("import \($0)") } }
        snippets.append(try Snippet(lines: code, number: snippets.count + 1, place: place))
      }
    }
    if let open { throw DocumentError("\(path):\(open.line): the block does not end") }
    return snippets
  }

  /// Returns the code in the last column of tables that have it there.
  private static func effects(in lines: [String], of path: String) throws -> [String] {
    var effects: [String] = []
    var isInTable = false
    for (index, line) in lines.enumerated() {
      if line.hasSuffix("| in code |") {
        isInTable = true
      } else if !line.hasPrefix("|") {
        isInTable = false
      } else if isInTable, !line.hasPrefix("|---") {
        guard let code = line.firstMatch(of: /\| `([^`]+)` \|$/) else {
          throw DocumentError("\(path):\(index + 1): the row must end with one effect in code")
        }
        effects.append(String(code.1))
      }
    }
    return effects
  }
}

/// A fault of a document.
struct DocumentError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
