/// A text in a JSON document: a string, a key, a path.
///
/// Two are equal if their code units are, as RFC 6902 has it; Swift's strings are equal also if they are canonically
/// equivalent.
///
/// ```swift
/// let (composed, decomposed): (JSONString, JSONString) = ("\u{e9}", "e\u{301}")
/// // composed != decomposed
/// // composed.text == decomposed.text
/// ```
public struct JSONString: Hashable, Sendable {
  /// The text.
  public let text: String

  /// Creates it from a text.
  public init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  /// Whether two have the same code units.
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
  /// Whether a text is before another one, by the order of their code points.
  public static func < (left: JSONString, right: JSONString) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension JSONString: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text.
  public var description: String { text }
  /// A text.
  public init(stringLiteral value: String) { self.init(value) }
}

extension JSONString: Codable {
  /// Decodes its text.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Encodes its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
