/// A text in a JSON document: a string, a key, a path.
///
/// Two JSON strings are equal if their code units are, as in RFC 6902; Swift's strings are also equal if they are
/// canonically equivalent.
///
/// ```swift
/// let (composed, decomposed): (JSONString, JSONString) = ("\u{e9}", "e\u{301}")
/// // composed != decomposed
/// // composed.text == decomposed.text
/// ```
public struct JSONString: Hashable, Sendable {
  /// The text.
  public let text: String

  /// Creates a JSON string from a text.
  public init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  /// Returns whether two strings have the same code units.
  public static func == (left: JSONString, right: JSONString) -> Bool {
    left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Hashes the code units.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension JSONString: Comparable {
  /// Returns whether a text sorts before another one, by code points.
  public static func < (left: JSONString, right: JSONString) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension JSONString: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text.
  public var description: String { text }
  /// Creates a JSON string from a literal.
  public init(stringLiteral value: String) { self.init(value) }
}

extension JSONString: Codable {
  /// Decodes a JSON string from its text.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
