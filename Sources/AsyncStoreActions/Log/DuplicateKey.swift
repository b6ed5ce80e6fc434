import Foundation

/// Finds a key that occurs twice in an object of a JSON text.
///
/// Foundation's decoder does not refuse such a key, but chooses one of the two values.
enum DuplicateKey {
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// Returns the first such key, or `nil` if there is none.
  ///
  /// - Parameter text: JSON in UTF-8 that Foundation's decoder has read.
  /// - Throws: `DecodingError` if a key has an invalid escape.
  /// - Complexity: linear in the text.
  static func first(in text: [UInt8]) throws -> String? {
    // The keys so far of each object around the current place; `nil` for a list.
    var open: [Set<String>?] = []
    var string = 0..<0
    var index = 0
    while index < text.count {
      let start = index
      index += 1
      switch text[start] {
      case UInt8(ascii: "{"): open.append([])
      case UInt8(ascii: "["): open.append(nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case quote:
        while index < text.count, text[index] != quote { index += text[index] == backslash ? 2 : 1 }
        string = (start + 1)..<max(start + 1, min(index, text.count))
        index += 1
      case UInt8(ascii: ":"):
        // The string before a colon is a key.
        let key = try key(text[string])
        if let last = open.indices.last, open[last]?.insert(key).inserted == false { return key }
      default: break
      }
    }
    return nil
  }

  private static func key(_ literal: ArraySlice<UInt8>) throws -> String {
    guard literal.contains(backslash) else { return String(decoding: literal, as: UTF8.self) }
    return try JSONDecoder().decode(String.self, from: Data([quote] + literal + [quote]))
  }
}
