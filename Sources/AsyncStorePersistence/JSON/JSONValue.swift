import Foundation

/// A JSON document, or a part of one.
///
/// A document loses nothing: numbers are kept as they were written and compared by their value, strings and keys by
/// their code units.
///
/// ```swift
/// import Foundation
///
/// let document: JSONValue = ["count": 2, "names": ["a", "b"]]
/// let text = try JSONValue(data: Data(#"{"amount":0.10}"#.utf8)).description
/// // document.flattened["names/1"] == "b"
/// // text == #"{"amount":0.10}"#
/// ```
public enum JSONValue: Sendable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A number.
  case number(JSONNumber)
  /// Text.
  case string(JSONString)
  /// A list.
  case array([JSONValue])
  /// Members by key.
  case object([JSONString: JSONValue])

  /// The maximum nesting depth, 512.
  ///
  /// Reading, writing, coding and patching refuse deeper values, so that no input can overflow the stack. On a thread
  /// with a small stack, they refuse even values that are less deep: one level takes up to 5 KiB of the stack in a
  /// debug build, and the last 32 KiB are reserved for the code that a level calls, such as the coding of your types.
  /// Nothing stops a program that nests cases of this type itself: a value some 10,000 levels deep may overflow the
  /// stack when it is freed.
  public static let maximumDepth = 512

  /// The leaves by their paths: `nested/label`, `array/0/label`.
  ///
  /// An empty list and an object without members are leaves. In a key, `/` is written `~1` and `~` is written `~0`. The
  /// path of a document that is itself a leaf is empty. A list has the same paths as an object whose keys are the
  /// list's indices.
  ///
  /// - Complexity: linear in the document and in the lengths of the paths.
  public var flattened: [JSONString: JSONValue] {
    var leaves: [JSONString: JSONValue] = [:]
    var pending: [(JSONPointer, JSONValue)] = [(JSONPointer(), self)]
    while let (path, value) = pending.popLast() {
      switch value {
      case .object(let members) where !members.isEmpty:
        for (key, member) in members { pending.append((path.appending(key), member)) }
      case .array(let elements) where !elements.isEmpty:
        for (index, element) in elements.enumerated() {
          pending.append((path.appending(JSONString(String(index))), element))
        }
      default: leaves[JSONString(path.flat)] = value
      }
    }
    return leaves
  }
}

extension JSONValue: Hashable {
  // Neither function needs more stack for a deeper document.

  /// Returns whether two documents are equal as defined in RFC 6902.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    var pair = (left, right)
    var pending: [(JSONValue, JSONValue)] = []
    while true {
      switch pair {
      case (.null, .null): break
      case (.bool(let left), .bool(let right)): guard left == right else { return false }
      case (.number(let left), .number(let right)): guard left == right else { return false }
      case (.string(let left), .string(let right)): guard left == right else { return false }
      case (.array(let left), .array(let right)):
        guard left.count == right.count else { return false }
        pending.append(contentsOf: zip(left, right))
      case (.object(let left), .object(let right)):
        guard left.count == right.count else { return false }
        for (key, value) in left {
          guard let other = right[key] else { return false }
          pending.append((value, other))
        }
      default: return false
      }
      guard let next = pending.popLast() else { return true }
      pair = next
    }
  }

  /// Hashes the outer levels of the document.
  public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: 16) }

  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let bool): hasher.combine(bool)
    case .number(let number): hasher.combine(number)
    case .string(let string): hasher.combine(string)
    case .array(let elements):
      hasher.combine(elements.count)
      if levels > 0 { for element in elements { element.hash(into: &hasher, levels: levels - 1) } }
    case .object(let members):
      hasher.combine(members.count)
      var sum = 0
      for (key, member) in members {
        var own = Hasher()
        own.combine(key)
        if levels > 0 { member.hash(into: &own, levels: levels - 1) }
        sum &+= own.finalize()
      }
      hasher.combine(sum)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(JSONString(value)) }
  /// A number.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Members by key; if a key occurs several times, the last member counts.
  public init(dictionaryLiteral elements: (JSONString, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
