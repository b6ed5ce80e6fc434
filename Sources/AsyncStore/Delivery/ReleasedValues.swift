/// Values that were given up under a store's lock, kept to be released after it.
///
/// The values belong to the user, and objects in them may call the store when they are freed.
package struct ReleasedValues: Sendable {
  private var values: [any Sendable] = []

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  /// Keeps a value, unless releasing it has no effect.
  package mutating func append<Value: Sendable>(_ value: Value) {
    if !_isPOD(Value.self) { values.append(value) }
  }

  package mutating func append(contentsOf other: ReleasedValues) {
    // Usually empty, in which case nothing is copied.
    if values.isEmpty { values = other.values } else { values += other.values }
  }

  /// Takes all values out, for the caller to release after the lock.
  package mutating func take() -> ReleasedValues {
    if isEmpty { return self }
    defer { values = [] }
    return self
  }
}
