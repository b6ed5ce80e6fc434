/// A stored property that determines a computed value.
///
/// While the property equals a kept copy bit for bit, the value can't have changed and is not computed: everything that
/// the copy refers to is shared, and so is not changed in place. So a commit that leaves a collection alone costs one
/// comparison of bits. A commit that changes a tracked collection copies its storage once.
package struct TrackedSource<State: Sendable>: Sendable {
  let id: SourceID
  /// Stores a copy, and returns a closure that compares the source with it.
  let remember: @Sendable (UnsafeRawPointer) -> SourceComparison

  init(id: SourceID, remember: @escaping @Sendable (UnsafeRawPointer) -> SourceComparison) {
    self.id = id
    self.remember = remember
  }

  /// - Returns: `nil` for a computed property, and for a property whose type is a class. If the type contains objects,
  ///   its value must not change through them, as in any state.
  package init?<Value: Sendable>(_ keyPath: KeyPath<State, Value>) {
    guard !(Value.self is AnyObject.Type), let offset = MemoryLayout<State>.offset(of: keyPath) else { return nil }
    self.init(id: SourceID(offset: offset, type: ObjectIdentifier(Value.self))) { state in
      let copy = (state + offset).assumingMemoryBound(to: Value.self).pointee
      return { state in
        withUnsafeBytes(of: copy) { copy in
          let size = MemoryLayout<Value>.size
          return (0..<size).allSatisfy { copy[$0] == (state + offset).load(fromByteOffset: $0, as: UInt8.self) }
        }
      }
    }
  }
}

/// A comparison with a kept copy; returns whether the source still equals the copy bit for bit.
typealias SourceComparison = @Sendable (_ state: UnsafeRawPointer) -> Bool

/// The location of a source in the state, and its type.
struct SourceID: Equatable, Sendable {
  let offset: Int
  let type: ObjectIdentifier
}
