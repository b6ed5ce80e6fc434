import Foundation

/// The differences between two values, by the paths of their encodings.
///
/// ```swift
/// struct Shelf: Codable, Sendable { var label = "Foo", note: String? = "Bar", rows = [1, 2] }
/// let diff = try StateDiff(from: Shelf(), to: Shelf(label: "New", note: nil, rows: [1, 3, 4]))
/// // diff.changes["label"] == .changed(old: "Foo", new: "New")
/// // diff.changes["note"] == .removed(old: "Bar")
/// // diff.changes["rows/2"] == .added(new: 4)
/// // diff.change(of: \.label).isChanged == true
/// ```
public struct StateDiff<Value: Codable & Sendable>: Sendable {
  /// The value before.
  public let before: Value
  /// The value after.
  public let after: Value
  /// The leaves that differ, by their flat paths; see ``JSONValue/flattened``, which can't distinguish a list from an
  /// object with its indices as keys.
  public let changes: [JSONString: JSONChange]
  /// The changes as a JSON patch from the earlier value to the later one.
  public let patch: JSONPatch
  /// The transaction that made the changes, or `nil` if there was none.
  ///
  /// If the transaction ran as part of other effects, `cancel()` does nothing, and a transaction that begins `after:`
  /// it does not wait for the effects of its actions.
  public internal(set) var transaction: TransactionRun?

  /// Creates the diff of two values.
  ///
  /// - Throws: the errors of ``JSONValue/init(encoding:)``: the values' own errors, and one for values that are nested
  ///   too deep.
  /// - Complexity: linear in both values' encodings, and that of ``JSONPatch/init(from:to:)``.
  public init(from before: Value, to after: Value) throws {
    self.before = before
    self.after = after
    let (old, new) = (try JSONValue(encoding: before), try JSONValue(encoding: after))
    patch = JSONPatch(from: old, to: new)
    let (oldLeaves, newLeaves) = (old.flattened, new.flattened)
    var changes: [JSONString: JSONChange] = [:]
    for (path, old) in oldLeaves {
      guard let new = newLeaves[path] else {
        changes[path] = .removed(old: old)
        continue
      }
      if old != new { changes[path] = .changed(old: old, new: new) }
    }
    for (path, new) in newLeaves where oldLeaves[path] == nil { changes[path] = .added(new: new) }
    self.changes = changes
  }

  /// True if nothing differs.
  ///
  /// ``patch`` decides: a list that has become an object with its indices as keys differs, but has no ``changes``.
  public var isEmpty: Bool { patch.operations.isEmpty }

  /// The changes as JSON, by path: `{"label":{"kind":"changed","new":"New","old":"Foo"}}`.
  ///
  /// - Throws: `EncodingError` if a value is nested deeper than ``JSONValue/maximumDepth``.
  public var json: Data { get throws { try JSONValue.object(changes.mapValues { try JSONValue(encoding: $0) }).data } }

  /// Returns the change of a property.
  ///
  /// The property is read from the values themselves, so it need not be encoded.
  ///
  /// - Returns: `unchanged` or `changed`.
  public func change<Property: Equatable>(of keyPath: KeyPath<Value, Property>) -> PropertyChange<Property> {
    let (old, new) = (before[keyPath: keyPath], after[keyPath: keyPath])
    return old == new ? .unchanged(old) : .changed(old: old, new: new)
  }

  /// Returns the change of an optional property.
  ///
  /// - Returns: `added` if it was `nil`, `removed` if it has become `nil`, otherwise `unchanged` or `changed`.
  public func change<Property: Equatable>(of keyPath: KeyPath<Value, Property?>) -> PropertyChange<Property?> {
    switch (before[keyPath: keyPath], after[keyPath: keyPath]) {
    case (nil, let new?): .added(new)
    case (let old?, nil): .removed(old)
    case (let old, let new): old == new ? .unchanged(old) : .changed(old: old, new: new)
    }
  }
}

extension StateDiff: CustomStringConvertible {
  /// The ``changes``, one per line, by path; empty if there are none.
  public var description: String {
    changes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
  }
}

/// The change of a leaf of an encoded value.
public enum JSONChange: Hashable, Sendable, CustomStringConvertible {
  /// The value did not exist before.
  case added(new: JSONValue)
  /// The value was different.
  case changed(old: JSONValue, new: JSONValue)
  /// The value no longer exists.
  case removed(old: JSONValue)

  /// The change in words.
  public var description: String {
    switch self {
    case .added(let new): "added \(new)"
    case .changed(let old, let new): "changed \(old) to \(new)"
    case .removed(let old): "removed \(old)"
    }
  }
}

extension JSONChange: Encodable {
  private enum Key: String, CodingKey { case kind, old, new }

  /// Encodes the kind of the change and its values.
  ///
  /// The keys are `kind`, which is `added`, `changed` or `removed`, and `old` and `new` where those values exist.
  ///
  /// - Throws: the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .added(let new):
      try container.encode("added", forKey: .kind)
      try container.encode(new, forKey: .new)
    case .changed(let old, let new):
      try container.encode("changed", forKey: .kind)
      try container.encode(old, forKey: .old)
      try container.encode(new, forKey: .new)
    case .removed(let old):
      try container.encode("removed", forKey: .kind)
      try container.encode(old, forKey: .old)
    }
  }
}

/// The change of a property.
public enum PropertyChange<Value> {
  /// The value has not changed.
  case unchanged(Value)
  /// The value did not exist before.
  case added(Value)
  /// The value was different.
  case changed(old: Value, new: Value)
  /// The value no longer exists.
  case removed(Value)

  /// True if the value existed before and after, and differs.
  public var isChanged: Bool { if case .changed = self { true } else { false } }
  /// True if the value did not exist before.
  public var isAdded: Bool { if case .added = self { true } else { false } }
  /// True if the value no longer exists.
  public var isRemoved: Bool { if case .removed = self { true } else { false } }
}

extension PropertyChange: Sendable where Value: Sendable {}
extension PropertyChange: Equatable where Value: Equatable {}
