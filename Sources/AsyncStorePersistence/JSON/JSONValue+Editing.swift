extension JSONValue {
  func value(at path: JSONPointer) throws -> JSONValue {
    var value = self
    for token in path.tokens {
      switch value {
      case .object(let members):
        guard let member = members[token] else { throw JSONPatch.Fault(reason: "there is nothing at \(path)") }
        value = member
      case .array(let elements): value = elements[try Self.index(token, below: elements.count, path)]
      default: throw JSONPatch.Fault(reason: "there is nothing at \(path)")
      }
    }
    return value
  }

  mutating func add(_ new: JSONValue, at path: JSONPointer) throws {
    guard let last = path.tokens.last else {
      self = new
      return
    }
    try edit(path.tokens.dropLast(), path) { parent in
      if var members = parent.takeMembers() {
        members[last] = new
        parent = .object(members)
      } else if var elements = parent.takeElements() {
        defer { parent = .array(elements) }
        let index = last == "-" ? elements.count : try Self.index(last, below: elements.count + 1, path)
        elements.insert(new, at: index)
      } else {
        throw JSONPatch.Fault(reason: "there is no place for \(path)")
      }
    }
  }

  mutating func remove(at path: JSONPointer) throws -> JSONValue {
    guard let last = path.tokens.last else {
      defer { self = .null }
      return self
    }
    var removed: JSONValue?
    try edit(path.tokens.dropLast(), path) { parent in
      if var members = parent.takeMembers() {
        removed = members.removeValue(forKey: last)
        parent = .object(members)
      } else if var elements = parent.takeElements() {
        defer { parent = .array(elements) }
        removed = elements.remove(at: try Self.index(last, below: elements.count, path))
      }
    }
    guard let removed else { throw JSONPatch.Fault(reason: "there is nothing at \(path)") }
    return removed
  }

  mutating func replace(at path: JSONPointer, with new: JSONValue) throws {
    try edit(path.tokens[...], path) { $0 = new }
  }

  /// Edits the value at a path in place.
  ///
  /// - Complexity: linear in the path; a container on it that has another owner is copied.
  private mutating func edit(
    _ tokens: ArraySlice<JSONString>, _ path: JSONPointer, _ body: (inout JSONValue) throws -> Void
  ) throws {
    guard tokens.count <= Self.maximumDepth, Stack.hasRoom else { throw JSONPatch.Fault(reason: "\(path) is too deep") }
    guard let token = tokens.first else { return try body(&self) }
    if var members = takeMembers() {
      defer { self = .object(members) }
      guard let index = members.index(forKey: token) else {
        throw JSONPatch.Fault(reason: "there is nothing at \(path)")
      }
      try members.values[index].edit(tokens.dropFirst(), path, body)
    } else if var elements = takeElements() {
      defer { self = .array(elements) }
      let index = try Self.index(token, below: elements.count, path)
      try elements[index].edit(tokens.dropFirst(), path, body)
    } else {
      throw JSONPatch.Fault(reason: "there is nothing at \(path)")
    }
  }

  /// Takes the members out and leaves nothing in their place; `nil` if the value is not an object.
  ///
  /// A separate function, so that only its result holds the members, which are then changed without a copy.
  private mutating func takeMembers() -> [JSONString: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    self = .null
    return members
  }

  /// Takes the elements out, as ``takeMembers()`` does the members of an object; `nil` if the value is not a list.
  private mutating func takeElements() -> [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }

  private static func index(_ token: JSONString, below end: Int, _ path: JSONPointer) throws -> Int {
    let text = token.text
    let isIndex = text == "0" || (text.first != "0" && !text.isEmpty && text.utf8.allSatisfy { 48...57 ~= $0 })
    guard isIndex, let index = Int(text), index < end else {
      throw JSONPatch.Fault(reason: "\(token) is no index at \(path)")
    }
    return index
  }
}
