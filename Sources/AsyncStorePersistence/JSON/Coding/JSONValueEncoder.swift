import Foundation

extension JSONValue {
  /// Encodes a value, to the last digit.
  ///
  /// The result is that of a `JSONEncoder` with default settings, except that all integers and decimals are exact, and
  /// that the elements of a `Set`, and of a `Dictionary` that is encoded as a list, are in an order of their own: equal
  /// ones are encoded alike.
  ///
  /// - Throws: the errors of the value's encoding; `EncodingError` for a number that is not finite, which JSON does not
  ///   have, and for values that are nested deeper than ``maximumDepth``.
  public init(encoding value: some Encodable) throws {
    self = try JSONValueEncoder.encode(value, at: nil, isOutermost: true)
  }
}

/// A part of a document that is being encoded.
final class EncodedPart {
  enum Content {
    case nothing
    case value(JSONValue)
    case array([Element])
    case object([JSONString: Element])

    /// The content of a container that goes on with a value.
    init(_ value: JSONValue) {
      self =
        switch value {
        case .array(let elements): .array(elements.map { .value($0) })
        case .object(let members): .object(members.mapValues { .value($0) })
        default: .value(value)
        }
    }
  }
  enum Element {
    case value(JSONValue)
    /// A container that may still grow.
    case part(EncodedPart)

    var value: JSONValue {
      switch self {
      case .value(let value): value
      case .part(let part): part.value
      }
    }
  }

  var content = Content.nothing
  private let document: EncodedDocument

  init(of document: EncodedDocument = EncodedDocument()) { self.document = document }

  /// True if a container was nested too deep, and so was left out of the document.
  var isTooDeep: Bool {
    for (part, path) in document.encoders { if case .nothing = part.content { part.becomeContainer(at: path) } }
    return document.isTooDeep
  }

  /// Returns an encoder into this part, which may encode nothing: then the part is an empty object.
  func encoder(at path: CodingPath?) -> JSONValueEncoder {
    document.encoders.append((self, path))
    return JSONValueEncoder(self, path)
  }

  /// Records that the part is a list or an object, which is a level even if it stays empty.
  func becomeContainer(at path: CodingPath?) {
    guard let path, path.depth >= JSONValue.maximumDepth else { return }
    // Levels without a key are not levels of the document.
    if CodingPath.keys(path).count >= JSONValue.maximumDepth { document.isTooDeep = true }
  }

  /// Returns a container within this one, and its path.
  ///
  /// - Parameter add: adds the container; not called if it is nested too deep.
  func nested(_ path: CodingPath?, _ key: any CodingKey, _ add: (EncodedPart) -> Void) -> (EncodedPart, CodingPath?) {
    let part = EncodedPart(of: document)
    guard let inner = try? CodingPath(path, key) else {
      document.isTooDeep = true
      return (part, path)
    }
    add(part)
    return (part, inner)
  }

  var value: JSONValue {
    switch content {
    // As with `JSONEncoder` for a nested container that nothing was encoded into.
    case .nothing: .object([:])
    case .value(let value): value
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .object(members.mapValues(\.value))
    }
  }
}

/// The state that the parts of a document share while it is encoded.
final class EncodedDocument {
  // Containers are made by functions that don't throw; the error comes at the end.
  var isTooDeep = false
  /// The parts into which encoders of their own write.
  var encoders: [(part: EncodedPart, path: CodingPath?)] = []
}

struct JSONValueEncoder: Encoder {
  let part: EncodedPart
  let path: CodingPath?

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ part: EncodedPart, _ path: CodingPath?) {
    self.part = part
    self.path = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedJSONEncoding<Key>(part, path))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedJSONEncoding(part, path) }
  func singleValueContainer() -> any SingleValueEncodingContainer { SingleJSONEncoding(part: part, path: path) }

  static func encode<Value: Encodable>(
    _ value: Value, at path: @autoclosure () throws -> CodingPath?, isOutermost: Bool = false
  ) throws -> JSONValue {
    if let known = try known(value, path) { return known }
    let part = EncodedPart()
    let path = try path()
    try value.encode(to: JSONValueEncoder(part, path))
    if !isOutermost, case .nothing = part.content { part.becomeContainer(at: path) }
    if part.isTooDeep { throw CodingPath.tooDeep }
    // As with `JSONEncoder`, a value within another one may encode nothing, and is an empty object.
    if isOutermost, case .nothing = part.content {
      throw EncodingError.invalidValue(
        value, .init(codingPath: CodingPath.keys(path), debugDescription: "\(Value.self) encoded nothing"))
    }
    return ordered(part.value, as: Value.self)
  }

  /// Encodes a value of a type that is not encoded by its own `encode(to:)`, or returns `nil` for any other type.
  private static func known<Value>(_ value: Value, _ path: () throws -> CodingPath?) throws -> JSONValue? {
    // The types are compared first, because that is cheap.
    if Value.self == JSONValue.self, let value = value as? JSONValue {
      guard try !value.isContainer || CodingPath.keys(path()).count + value.nesting <= JSONValue.maximumDepth else {
        throw CodingPath.tooDeep
      }
      return value
    }
    if Value.self == Data.self, let data = value as? Data { return .string(JSONString(data.base64EncodedString())) }
    if Value.self == URL.self, let url = value as? URL { return .string(JSONString(url.absoluteString)) }
    if Value.self == Decimal.self, let decimal = value as? Decimal {
      return try number(JSONNumber(decimal), decimal, path())
    }
    if Value.self == Date.self, let date = value as? Date {
      let seconds = date.timeIntervalSinceReferenceDate
      return try number(JSONNumber(seconds), seconds, path())
    }
    return nil
  }

  static func number(_ number: JSONNumber?, _ value: Any, _ path: @autoclosure () throws -> CodingPath?) throws
    -> JSONValue
  {
    if let number { return .number(number) }
    throw EncodingError.invalidValue(
      value, .init(codingPath: CodingPath.keys(try path()), debugDescription: "JSON does not have the number \(value)"))
  }

  private static func ordered(_ value: JSONValue, as type: Any.Type) -> JSONValue {
    guard case .array(let elements) = value, elements.count > 1, let type = type as? any UnorderedCollection.Type,
      elements.count % type.stride == 0
    else { return value }
    let groups = stride(from: 0, to: elements.count, by: type.stride).map { elements[$0..<($0 + type.stride)] }
    return .array(groups.sorted { JSONSortKey($0[$0.startIndex]) }.flatMap { $0 })
  }
}

struct SingleJSONEncoding: SingleValueEncodingContainer {
  let part: EncodedPart
  let path: CodingPath?
  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  mutating func encodeNil() { part.content = .value(.null) }
  mutating func encode(_ value: Bool) { part.content = .value(.bool(value)) }
  mutating func encode(_ value: String) { part.content = .value(.string(JSONString(value))) }
  mutating func encode(_ value: Double) throws { try encode(JSONNumber(value), value) }
  mutating func encode(_ value: Float) throws { try encode(JSONNumber(value), value) }
  mutating func encode(_ value: Int) { encode(integer: value) }
  mutating func encode(_ value: Int8) { encode(integer: value) }
  mutating func encode(_ value: Int16) { encode(integer: value) }
  mutating func encode(_ value: Int32) { encode(integer: value) }
  mutating func encode(_ value: Int64) { encode(integer: value) }
  mutating func encode(_ value: Int128) { encode(integer: value) }
  mutating func encode(_ value: UInt) { encode(integer: value) }
  mutating func encode(_ value: UInt8) { encode(integer: value) }
  mutating func encode(_ value: UInt16) { encode(integer: value) }
  mutating func encode(_ value: UInt32) { encode(integer: value) }
  mutating func encode(_ value: UInt64) { encode(integer: value) }
  mutating func encode(_ value: UInt128) { encode(integer: value) }
  mutating func encode(_ value: some Encodable) throws {
    part.content = .value(try JSONValueEncoder.encode(value, at: CodingPath(path, nil)))
  }

  private func encode(integer: some BinaryInteger) { part.content = .value(.number(JSONNumber(integer))) }
  private func encode(_ number: JSONNumber?, _ value: Any) throws {
    part.content = .value(try JSONValueEncoder.number(number, value, path))
  }
}
