/// An observer of one value of the state.
///
/// `@unchecked`: `last`, `next`, `later` and `prepared` change under the lock of the observed store, save that `prepared` is
/// read by the one thread that delivers for it, between two calls of `prepare`.
class ValueObserver<State: Sendable, Value: Sendable>: CommitObserver, @unchecked Sendable {
  private let property: StoredValue<State, Value>
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?
  /// The oldest value that has not been delivered, and those after it.
  private var next: Value?
  private var later = Ring<Value>()
  private(set) var prepared: Value?

  init(_ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?) {
    property = StoredValue(keyPath)
    self.areEqual = areEqual
  }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    let value = property.value(in: state)
    if let last, let areEqual, areEqual(last, value) { return false }
    last = value
    if next == nil { next = value } else { later.append(value) }
    return true
  }

  override func prepare() {
    prepared = next
    next = later.popFirst()
  }
}

/// Where a value is in a state.
///
/// A stored property has an offset, by which it is read at once; a key path that computes is asked each time.
struct StoredValue<State: Sendable, Value: Sendable>: Sendable {
  private let keyPath: KeyPath<State, Value> & Sendable
  private let offset: Int?

  init(_ keyPath: KeyPath<State, Value> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<State>.offset(of: keyPath)
  }

  /// Reads it in the state that `state` points to.
  func value(in state: UnsafeRawPointer) -> Value {
    if let offset { return (state + offset).assumingMemoryBound(to: Value.self).pointee }
    return state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
  }
}
