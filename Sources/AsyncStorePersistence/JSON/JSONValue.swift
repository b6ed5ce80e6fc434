import Foundation

/// A JSON document, or a part of one.
///
/// Only values of the same case are equal: `.integer(1)` is not `.number(1)`.
public enum JSONValue: Hashable, Sendable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A number without a fraction that fits into an `Int`.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by their keys.
  case object([String: JSONValue])

  /// Encodes a value.
  ///
  /// It is what `JSONEncoder` makes of it if nothing about that is set.
  ///
  /// - Throws: what the value's encoding throws.
  public init(encoding value: some Encodable) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }

  /// Decodes a value.
  ///
  /// It is what `JSONDecoder` makes of it if nothing about that is set.
  ///
  /// - Throws: what the value's decoding throws, and what ``data`` throws.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
  }

  /// The document as text, with sorted keys.
  ///
  /// - Throws: what `JSONEncoder` throws, for a number that is not finite for one, which JSON does not have.
  public var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  /// Its leaves by their paths: `nested/label`, `array/0/label`.
  ///
  /// An empty list and an object without members are leaves. In a key, `/` is written `~1` and `~` is written `~0`. The path of a
  /// document that is itself a leaf is empty. A list has the same paths as an object whose keys are its indices.
  ///
  /// - Complexity: linear in the document, and in the lengths of the paths.
  public var flattened: [String: JSONValue] {
    var leaves: [String: JSONValue] = [:]
    var pending: [(JSONPointer, JSONValue)] = [(JSONPointer(), self)]
    while let (path, value) = pending.popLast() {
      switch value {
      case .object(let members) where !members.isEmpty:
        for (key, member) in members { pending.append((path.appending(key), member)) }
      case .array(let elements) where !elements.isEmpty:
        for (index, element) in elements.enumerated() { pending.append((path.appending(String(index)), element)) }
      default: leaves[path.flat] = value
      }
    }
    return leaves
  }
}

extension JSONValue: Codable {
  /// Decodes any JSON.
  ///
  /// - Throws: `DecodingError` if it is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Encodes it as the JSON it is.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The document as text, with sorted keys; where ``data`` throws, words that say so.
  public var description: String {
    (try? data).map { String(decoding: $0, as: UTF8.self) } ?? "a number that JSON does not have"
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Members by their keys; of several with the same key the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
