import Foundation

extension JSONValue: Codable {
  /// Decodes any JSON.
  ///
  /// Other decoders, for example `JSONDecoder`, don't provide the text of a number. The number then has the 38 digits
  /// of a `Decimal`, or 17 if its exponent is too large for one. ``init(data:)`` reads all digits.
  ///
  /// - Throws: `DecodingError` if the data is not JSON.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.value
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = JSONNumber(from: container) {
      self = .number(number)
    } else if let string = try? container.decode(JSONString.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else {
      let members = try decoder.container(keyedBy: CodingPath.Key.self)
      var object: [JSONString: JSONValue] = [:]
      for key in members.allKeys {
        object[JSONString(key.stringValue)] = try members.decode(JSONValue.self, forKey: key)
      }
      self = .object(object)
    }
  }

  /// Encodes the document as JSON.
  ///
  /// - Throws: `EncodingError` if the encoder, for example a `JSONEncoder`, can't keep all digits of a number, or can't
  ///   distinguish two canonically equivalent keys. ``init(encoding:)`` and ``data`` lose nothing.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let bool): try bool.encode(to: encoder)
    case .number(let number): try number.encode(to: encoder)
    case .string(let string): try string.encode(to: encoder)
    case .array(let array): try array.encode(to: encoder)
    case .object(let object):
      guard encoder is JSONValueEncoder || Set(object.keys.map(\.text)).count == object.count else {
        throw EncodingError.invalidValue(
          self, .init(codingPath: encoder.codingPath, debugDescription: "two keys are canonically equivalent"))
      }
      var container = encoder.container(keyedBy: CodingPath.Key.self)
      for (key, member) in object { try container.encode(member, forKey: CodingPath.Key(stringValue: key.text)) }
    }
  }
}

extension JSONNumber: Codable {
  /// Decodes a number, as exactly as the decoder provides it.
  ///
  /// - Throws: `DecodingError` if the value is not a number.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONValueDecoder, case .number(let number) = decoder.value {
      self = number
      return
    }
    let container = try decoder.singleValueContainer()
    guard let number = JSONNumber(from: container) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no number, or it is too large")
    }
    self = number
  }

  fileprivate init?(from container: any SingleValueDecodingContainer) {
    if let integer = try? container.decode(Int64.self) {
      self.init(integer)
    } else if let integer = try? container.decode(UInt64.self) {
      self.init(integer)
    } else if let double = try? container.decode(Double.self) {
      // A `Decimal` has more digits, and smaller exponents.
      if let decimal = (try? container.decode(Decimal.self)).flatMap({ JSONNumber($0) }), decimal.double == double {
        self = decimal
      } else {
        self.init(double)
      }
    } else {
      return nil
    }
  }

  /// Encodes the number.
  ///
  /// - Throws: `EncodingError` if the encoder can't keep all of its digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let container = container as? SingleJSONEncoding {
      container.part.content = .value(.number(self))
    } else if let integer = integer(as: Int64.self) {
      try container.encode(integer)
    } else if let integer = integer(as: UInt64.self) {
      try container.encode(integer)
    } else if JSONNumber(double) == self {
      try container.encode(double)
    } else if let decimal {
      try container.encode(decimal)
    } else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "the encoder can't have all digits of \(self)"))
    }
  }
}
