/// Whether two values are equal.
///
/// Of pointers, so that nothing is copied to be compared; a binding's is made by inlinable code, where the type of the values is known.
@usableFromInline
typealias ValueComparison<Value> = @Sendable (UnsafePointer<Value>, UnsafePointer<Value>) -> Bool

/// An observer of one value of the state.
///
/// `@unchecked` because its superclass is, and for the values: all are touched only while the observed store is locked.
/// `delivered` is also read after it, by the one thread that delivers for that store; and only that thread calls `prepare`, which
/// writes it.
class ValueObserver<State: Sendable, Value: Sendable>: CommitObserver, @unchecked Sendable {
  private let property: StoredValue<State, Value>
  private let areEqual: ValueComparison<Value>
  /// The last value that was seen.
  private let last = ValuePlace<Value>()
  private let delivered = ValuePlace<Value>()
  /// Those that have not been delivered, without the last one; rarely any.
  private var earlier = Ring<Value>()
  /// How many have not been delivered.
  private var waiting = 0

  init(_ keyPath: KeyPath<State, Value> & Sendable, areEqual: @escaping ValueComparison<Value>) {
    property = StoredValue(keyPath)
    self.areEqual = areEqual
  }

  deinit {
    last.deallocate()
    delivered.deallocate()
  }

  /// The value that is to be delivered.
  final var prepared: Value { delivered.value.pointee }

  override func note(_ state: UnsafeRawPointer) -> Bool { property.look(in: state) { see($0) } }

  private final func see(_ value: UnsafePointer<Value>) -> Bool {
    if last.isFull, areEqual(last.value, value) { return false }
    if waiting > 0 { keepLast() }
    last.fill(from: value)
    waiting += 1
    return true
  }

  override func prepare() {
    waiting -= 1
    if waiting == 0 { delivered.fill(from: last.value) } else { advance() }
  }

  // The ring's types are looked up where a function that uses it begins: so these two are functions of their own.

  @inline(never)
  private final func keepLast() { earlier.append(last.value.pointee) }

  @inline(never)
  private final func advance() {
    guard var value = earlier.popFirst() else { preconditionFailure("fewer values wait than were counted") }
    delivered.fill(from: &value)
  }
}

/// A place for a value, with one or none.
///
/// Not an optional, whose type would have to be looked up at run time each time it is touched: bindings are generic, and not
/// specialised for their values.
private struct ValuePlace<Value> {
  let value = Memory.allocate(for: Value.self)
  private let fullness = Memory.allocate(for: Bool.self)

  init() { fullness.initialize(to: false) }

  var isFull: Bool { fullness.pointee }

  func fill(from other: UnsafePointer<Value>) {
    if isFull {
      value.pointee = other.pointee
    } else {
      value.initialize(to: other.pointee)
      fullness.pointee = true
    }
  }

  func deallocate() {
    if isFull { value.deinitialize(count: 1) }
    Memory.release(value)
    Memory.release(fullness)
  }
}

/// Where a value is in a state.
///
/// A stored property has an offset, by which it is found at once; a key path that computes is asked each time.
struct StoredValue<State: Sendable, Value: Sendable>: Sendable {
  private let keyPath: KeyPath<State, Value> & Sendable
  private let offset: Int?

  init(_ keyPath: KeyPath<State, Value> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<State>.offset(of: keyPath)
  }

  /// Looks at it in the state that `state` points to, where it lies if it is stored.
  func look(in state: UnsafeRawPointer, _ body: (UnsafePointer<Value>) -> Bool) -> Bool {
    if let offset { return body((state + offset).assumingMemoryBound(to: Value.self)) }
    return withUnsafePointer(to: state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]) { body($0) }
  }
}
