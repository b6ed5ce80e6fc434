extension JSONPatch {
  /// Creates the changes from one document to another.
  ///
  /// Differences below ``JSONValue/maximumDepth``, or below the depth that the stack allows, are one change at that
  /// depth. Lists are compared element by element, without their common beginning and end. The operations are `add`,
  /// `remove` and `replace`, with the members of an object in the order of their keys; for two equal documents there
  /// are none.
  ///
  /// - Complexity: linear in both documents, and once more for each level at which a list's length differs; the keys of
  ///   an object are sorted.
  public init(from old: JSONValue, to new: JSONValue) {
    operations = []
    add(JSONPointer(), old, new)
  }

  /// Creates the changes from the encoding of one value to the encoding of another.
  ///
  /// Both are encoded as by ``JSONValue/init(encoding:)``.
  ///
  /// - Throws: the errors of the values' encoding.
  public init(encoding old: some Encodable, to new: some Encodable) throws {
    self.init(from: try JSONValue(encoding: old), to: try JSONValue(encoding: new))
  }

  private mutating func add(_ path: JSONPointer, _ old: JSONValue, _ new: JSONValue) {
    guard path.tokens.count < JSONValue.maximumDepth, Stack.hasRoom else {
      if old != new { operations.append(.replace(path, new)) }
      return
    }
    switch (old, new) {
    case (.object(let old), .object(let new)):
      for key in old.keys.sorted() where new[key] == nil { operations.append(.remove(path.appending(key))) }
      for (key, value) in new.sorted(by: { $0.key < $1.key }) {
        let path = path.appending(key)
        if let old = old[key] { add(path, old, value) } else { operations.append(.add(path, value)) }
      }
    case (.array(let old), .array(let new)):
      addElements(path, old, new)
    default:
      if old != new { operations.append(.replace(path, new)) }
    }
  }

  private mutating func addElements(_ path: JSONPointer, _ old: [JSONValue], _ new: [JSONValue]) {
    // In lists of the same length, equal elements have no changes.
    let isMoved = old.count != new.count
    let prefix = isMoved ? zip(old, new).prefix { $0 == $1 }.count : 0
    let limit = min(old.count, new.count) - prefix
    let suffix = isMoved ? zip(old.reversed(), new.reversed()).prefix(limit).prefix { $0 == $1 }.count : 0
    let (oldRest, newRest) = (old[prefix..<(old.count - suffix)], new[prefix..<(new.count - suffix)])
    for (offset, (old, new)) in zip(oldRest, newRest).enumerated() {
      add(path.appending(JSONString(String(prefix + offset))), old, new)
    }
    let common = prefix + min(oldRest.count, newRest.count)
    // From the end, so that the earlier indices stay valid.
    for index in stride(from: prefix + oldRest.count - 1, through: common, by: -1) {
      operations.append(.remove(path.appending(JSONString(String(index)))))
    }
    for (offset, value) in newRest.dropFirst(oldRest.count).enumerated() {
      operations.append(.add(path.appending(JSONString(String(common + offset))), value))
    }
  }
}
