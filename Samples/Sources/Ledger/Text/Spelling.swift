/// A text as a key: two are equal if they have the same bytes.
///
/// Swift's strings are also equal if they are canonically equivalent, as `é` of one code point and of two are. Books
/// keep and seal bytes, and hledger compares them.
struct Spelling: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Spelling, right: Spelling) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension Spelling: Comparable {
  /// Returns whether a text comes first in the order of texts, in which two spellings of one stand beside each other.
  static func < (left: Spelling, right: Spelling) -> Bool { isBefore(left.text, right.text) }

  /// Returns whether a text comes first in the order of texts, in which two spellings of one stand beside each other.
  static func isBefore<Text: StringProtocol>(_ left: Text, _ right: Text) -> Bool {
    left == right ? left.utf8.lexicographicallyPrecedes(right.utf8) : left < right
  }
}

extension Spelling: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self.init(value) }
}
