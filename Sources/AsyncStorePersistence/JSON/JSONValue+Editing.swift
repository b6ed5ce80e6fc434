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
      switch parent {
      case .object(var members):
        parent = .null
        members[last] = new
        parent = .object(members)
      case .array(var elements):
        let index = last == "-" ? elements.count : try Self.index(last, below: elements.count + 1, path)
        parent = .null
        elements.insert(new, at: index)
        parent = .array(elements)
      default: throw JSONPatch.Fault(reason: "there is no place for \(path)")
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
      switch parent {
      case .object(var members):
        parent = .null
        removed = members.removeValue(forKey: last)
        parent = .object(members)
      case .array(var elements):
        let index = try Self.index(last, below: elements.count, path)
        parent = .null
        removed = elements.remove(at: index)
        parent = .array(elements)
      default: break
      }
    }
    guard let removed else { throw JSONPatch.Fault(reason: "there is nothing at \(path)") }
    return removed
  }

  mutating func replace(at path: JSONPointer, with new: JSONValue) throws {
    _ = try value(at: path)
    try edit(path.tokens[...], path) { $0 = new }
  }

  /// Edits the value at a path in place.
  private mutating func edit(
    _ tokens: ArraySlice<JSONString>, _ path: JSONPointer, _ body: (inout JSONValue) throws -> Void
  ) throws {
    guard tokens.count <= Self.maximumDepth else { throw JSONPatch.Fault(reason: "\(path) is too deep") }
    guard let token = tokens.first else { return try body(&self) }
    switch self {
    case .object(var members):
      guard var member = members[token] else { throw JSONPatch.Fault(reason: "there is nothing at \(path)") }
      self = .null
      members[token] = .null
      defer { self = .object(members) }
      defer { members[token] = member }
      try member.edit(tokens.dropFirst(), path, body)
    case .array(var elements):
      let index = try Self.index(token, below: elements.count, path)
      self = .null
      defer { self = .array(elements) }
      try elements[index].edit(tokens.dropFirst(), path, body)
    default: throw JSONPatch.Fault(reason: "there is nothing at \(path)")
    }
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
