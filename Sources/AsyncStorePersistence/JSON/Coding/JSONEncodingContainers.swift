/// Encodes the members of an object.
struct KeyedJSONEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let part: EncodedPart
  private let path: CodingPath?
  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  init(_ part: EncodedPart, _ path: CodingPath?) {
    self.part = part
    self.path = path
    part.becomeContainer(at: path)
    part.becomeGrowing()
    if case .object = part.content { return }
    part.content = .object([:])
  }

  mutating func encodeNil(forKey key: Key) { set(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  mutating func encode(_ value: String, forKey key: Key) { set(.string(JSONString(value)), key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try set(JSONNumber(value), value, key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try set(JSONNumber(value), value, key) }
  mutating func encode(_ value: Int, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: Int8, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: Int16, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: Int32, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: Int64, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: Int128, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt8, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt16, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt32, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt64, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: UInt128, forKey key: Key) { set(.number(JSONNumber(value)), key) }
  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    set(try JSONValueEncoder.encode(value, at: CodingPath(path, key)), key)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let (part, path) = container(key)
    return KeyedEncodingContainer(KeyedJSONEncoding<NestedKey>(part, path))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let (part, path) = container(key)
    return UnkeyedJSONEncoding(part, path)
  }

  mutating func superEncoder() -> any Encoder { encoder(of: CodingPath.Key.super) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(of: key) }

  private func encoder(of key: some CodingKey) -> any Encoder {
    let (part, path) = nested(key)
    return part.encoder(at: path)
  }

  private func set(_ value: JSONValue, _ key: Key) { set(.value(value), key) }

  private func set(_ number: JSONNumber?, _ value: Any, _ key: Key) throws {
    set(try JSONValueEncoder.number(number, value, CodingPath(path, key)), key)
  }

  /// Returns the container of a key, which continues with the content already encoded for that key.
  private func container(_ key: Key) -> (EncodedPart, CodingPath?) {
    let earlier = element(key)
    let (container, inner) = nested(key)
    switch earlier {
    case nil:
      return (container, inner)
    case .part(let earlier):
      set(.part(earlier), key)
      return (earlier, inner)
    case .value(let value):
      container.content = EncodedPart.Content(value)
      return (container, inner)
    }
  }

  // Separate, so that the members are not retained, and copied, when they change.
  private func element(_ key: Key) -> EncodedPart.Element? {
    guard case .object(let members) = part.content else { return nil }
    return members[JSONString(key.stringValue)]
  }

  private func nested(_ key: some CodingKey) -> (EncodedPart, CodingPath?) {
    part.nested(path, key) { set(.part($0), key) }
  }

  private func set(_ element: EncodedPart.Element, _ key: some CodingKey) {
    guard case .object(var members) = part.content else { preconditionFailure("\(part.content) is no object") }
    part.content = .nothing
    members[JSONString(key.stringValue)] = element
    part.content = .object(members)
  }
}

/// Encodes the elements of a list.
struct UnkeyedJSONEncoding: UnkeyedEncodingContainer {
  private let part: EncodedPart
  private let path: CodingPath?
  private(set) var count = 0
  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  init(_ part: EncodedPart, _ path: CodingPath?) {
    self.part = part
    self.path = path
    part.becomeContainer(at: path)
    part.becomeGrowing()
    if case .array(let elements) = part.content {
      count = elements.count
    } else {
      part.content = .array([])
    }
  }

  mutating func encodeNil() { append(.null) }
  mutating func encode(_ value: Bool) { append(.bool(value)) }
  mutating func encode(_ value: String) { append(.string(JSONString(value))) }
  mutating func encode(_ value: Double) throws { try append(JSONNumber(value), value) }
  mutating func encode(_ value: Float) throws { try append(JSONNumber(value), value) }
  mutating func encode(_ value: Int) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: Int8) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: Int16) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: Int32) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: Int64) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: Int128) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt8) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt16) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt32) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt64) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: UInt128) { append(.number(JSONNumber(value))) }
  mutating func encode(_ value: some Encodable) throws {
    append(try JSONValueEncoder.encode(value, at: CodingPath(path, CodingPath.Key(index: count))))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let (part, path) = nested()
    return KeyedEncodingContainer(KeyedJSONEncoding<NestedKey>(part, path))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let (part, path) = nested()
    return UnkeyedJSONEncoding(part, path)
  }

  mutating func superEncoder() -> any Encoder {
    let (part, path) = nested()
    return part.encoder(at: path)
  }

  private mutating func append(_ number: JSONNumber?, _ value: Any) throws {
    append(try JSONValueEncoder.number(number, value, CodingPath(path, CodingPath.Key(index: count))))
  }

  private mutating func append(_ value: JSONValue) { append(element: .value(value)) }

  private mutating func nested() -> (EncodedPart, CodingPath?) {
    part.nested(path, CodingPath.Key(index: count)) { append(element: .part($0)) }
  }

  private mutating func append(element: EncodedPart.Element) {
    guard case .array(var elements) = part.content else { preconditionFailure("\(part.content) is no list") }
    part.content = .nothing
    elements.append(element)
    part.content = .array(elements)
    count += 1
  }
}

/// Encodes a single value.
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
