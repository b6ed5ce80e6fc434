import Foundation

/// Changes of a JSON document, as in RFC 6902.
///
/// ```swift
/// let patch = JSONPatch(from: ["a": 1, "b": [1, 2]], to: ["a": 2, "b": [1]])
/// // patch.operations.count == 2
/// let document = try patch.applied(to: ["a": 1, "b": [1, 2]])
/// // document == ["a": 2, "b": [1]]
/// ```
public struct JSONPatch: Hashable, Sendable {
  /// One change, or one test.
  public enum Operation: Hashable, Sendable {
    /// Adds a member, replaces it if it exists, or inserts an element; the token `-` is the end of a list.
    case add(JSONPointer, JSONValue)
    /// Removes the value there; the whole document becomes `null`.
    case remove(JSONPointer)
    /// Replaces the value there; fails if there is none.
    case replace(JSONPointer, JSONValue)
    /// Moves a value from one place to another.
    ///
    /// The value is removed first, so an index to move to counts without it. A value can't be moved into itself.
    case move(from: JSONPointer, to: JSONPointer)
    /// Copies a value from one place to another.
    case copy(from: JSONPointer, to: JSONPointer)
    /// Fails unless this value is there; numbers are compared by their value.
    case test(JSONPointer, JSONValue)
  }

  /// The changes, in order.
  public var operations: [Operation]

  /// Creates a patch from its operations; an empty list leaves a document unchanged.
  public init(_ operations: [Operation]) { self.operations = operations }

  /// Returns the document after applying all changes, in order.
  ///
  /// A change fails if there is no place for it, or if a list has no such index; an index is written without leading
  /// zeros.
  ///
  /// A copy shares its memory with the original. So each `copy` may double the text of the result, but not its memory:
  /// limit the number of operations in a patch from outside before you write or compare its result.
  ///
  /// - Throws: ``JSONPatchError`` if an operation can't be applied, a test fails, or a value would be nested deeper
  ///   than ``JSONValue/maximumDepth``, unless it replaces a value that is as deep.
  /// - Complexity: linear in the operations, the depths of their paths and their values, in the values that a test
  ///   compares, and in the elements after an element that is inserted into or removed from a list. In addition, a list
  ///   or an object that is changed is copied once: before its first change, and before the first change after a `copy`
  ///   of it. The first `copy` or `move` to a longer path takes time linear in the document's memory, and so does about
  ///   one in 250 of the later ones. If the document is nested to half the allowed depth or more, each of them may take
  ///   time linear in the memory of the value.
  public func applied(to document: JSONValue) throws -> JSONValue {
    var result = document
    var nesting = NestingBound()
    for (index, operation) in operations.enumerated() {
      do {
        try Self.apply(operation, to: &result, &nesting)
      } catch let fault as Fault {
        throw JSONPatchError(operationIndex: index, reason: fault.reason)
      }
    }
    return result
  }

  /// Returns a value after applying all changes to its encoding.
  ///
  /// - Throws: the errors of `applied(to:)`, and those of the value's own coding.
  public func applied<Value: Codable>(to value: Value) throws -> Value {
    try applied(to: JSONValue(encoding: value)).decoded()
  }

  /// Reads a patch, with its numbers to the last digit.
  ///
  /// - Parameter data: JSON in the form that ``JSONValue/init(data:)`` reads.
  /// - Throws: `DecodingError` if the JSON is not a patch.
  public init(data: Data) throws { self = try JSONValue(data: data).decoded() }

  /// The patch as JSON, with its numbers to the last digit.
  ///
  /// - Throws: `EncodingError` if a value is nested deeper than ``JSONValue/maximumDepth``.
  public var data: Data { get throws { try JSONValue(encoding: self).data } }

  struct Fault: Error {
    let reason: String
  }

  private static func apply(
    _ operation: Operation, to document: inout JSONValue, _ nesting: inout NestingBound
  ) throws {
    switch operation {
    case .add(let path, let value):
      try nesting.put(value, at: path) { nil }
      try document.add(value, at: path)
    case .remove(let path): _ = try document.remove(at: path)
    case .replace(let path, let value):
      try nesting.put(value, at: path) { try document.value(at: path) }
      try document.replace(at: path, with: value)
    case .move(let from, let path):
      guard from == path || !path.isWithin(from) else { throw Fault(reason: "\(from) can't be moved into itself") }
      let value = try document.remove(at: from)
      try nesting.put(value, of: document, from: from, at: path)
      try document.add(value, at: path)
    case .copy(let from, let path):
      let value = try document.value(at: from)
      try nesting.put(value, of: document, from: from, at: path)
      try document.add(value, at: path)
    case .test(let path, let value):
      let found = try document.value(at: path)
      guard found == value else { throw Fault(reason: "\(path) is \(found.excerpt) and not \(value.excerpt)") }
    }
  }
}

extension JSONPatch: Codable {
  /// Decodes a list of operations.
  ///
  /// - Throws: `DecodingError` if the value is not a list, or if one of its elements is not an operation.
  public init(from decoder: any Decoder) throws { operations = try [Operation](from: decoder) }

  /// Encodes a list of operations.
  public func encode(to encoder: any Encoder) throws { try operations.encode(to: encoder) }
}

extension JSONPatch.Operation: Codable {
  private enum Key: String, CodingKey { case op, path, from, value }

  /// Decodes an operation as defined in the RFC; unknown members are ignored.
  ///
  /// - Throws: `DecodingError` if the operation's name is not one of the six, it lacks a member, or its path is not a
  ///   ``JSONPointer``. A `value` that is `null` counts as present.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let path = try container.decode(JSONPointer.self, forKey: .path)
    func from() throws -> JSONPointer { try container.decode(JSONPointer.self, forKey: .from) }
    func value() throws -> JSONValue {
      guard container.contains(.value) else {
        throw DecodingError.keyNotFound(
          Key.value, DecodingError.Context(codingPath: container.codingPath, debugDescription: "a value is needed"))
      }
      return try container.decode(JSONValue.self, forKey: .value)
    }
    switch try container.decode(String.self, forKey: .op) {
    case "add": self = .add(path, try value())
    case "remove": self = .remove(path)
    case "replace": self = .replace(path, try value())
    case "move": self = .move(from: try from(), to: path)
    case "copy": self = .copy(from: try from(), to: path)
    case "test": self = .test(path, try value())
    case let other:
      throw DecodingError.dataCorruptedError(
        forKey: .op, in: container, debugDescription: "\(other) is no operation of a JSON patch")
    }
  }

  /// Encodes an operation as defined in the RFC.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func encode(_ op: String, _ path: JSONPointer) throws {
      try container.encode(op, forKey: .op)
      try container.encode(path, forKey: .path)
    }
    switch self {
    case .add(let path, let value):
      try encode("add", path)
      try container.encode(value, forKey: .value)
    case .remove(let path):
      try encode("remove", path)
    case .replace(let path, let value):
      try encode("replace", path)
      try container.encode(value, forKey: .value)
    case .move(let from, let path):
      try encode("move", path)
      try container.encode(from, forKey: .from)
    case .copy(let from, let path):
      try encode("copy", path)
      try container.encode(from, forKey: .from)
    case .test(let path, let value):
      try encode("test", path)
      try container.encode(value, forKey: .value)
    }
  }
}
