/// Compares two values for equality.
///
/// The closure takes pointers, so that nothing is copied for the comparison. A binding's comparison is created by
/// inlinable code, where the type of the values is known.
@usableFromInline
typealias ValueComparison<Value> = @Sendable (UnsafePointer<Value>, UnsafePointer<Value>) -> Bool

/// Returns whether a value repeats another one: the two are equal, or they are bitwise identical and of a kind that
/// equals nothing, such as a NaN.
///
/// Inlinable, so that the bitwise comparison is omitted where the type is known to have no such values.
@inlinable
@Sendable
func isSame<Value: Equatable>(_ value: UnsafePointer<Value>, _ other: UnsafePointer<Value>) -> Bool {
  if value.pointee == other.pointee { return true }
  return value.pointee != value.pointee
    && UnsafeRawBufferPointer(start: value, count: MemoryLayout<Value>.size)
      .elementsEqual(UnsafeRawBufferPointer(start: other, count: MemoryLayout<Value>.size))
}

/// Returns whether a value repeats another one, like ``isSame(_:_:)``.
package func repeats<Value: Equatable>(_ value: Value, _ other: Value) -> Bool {
  withUnsafePointer(to: value) { value in
    withUnsafePointer(to: other) { isSame(value, $0) }
  }
}

/// An observer of one value of the state.
///
/// A value is copied once, when it is seen. From then on only pointers change places. The value is released after the
/// lock, once the next value has been delivered, because releasing it may call the store.
///
/// `@unchecked` because its superclass is, and for the values, which are touched only while the observed store is
/// locked. There is one exception: the thread that delivers for that store also touches `delivered`, `outdated` and
/// `isOutdated` after the lock. Only that thread calls `prepare`, which exchanges the places.
class ValueObserver<State: Sendable, Value: Sendable>: CommitObserver, @unchecked Sendable {
  private let property: StoredValue<State, Value>
  private let areEqual: ValueComparison<Value>
  /// True if releasing a value has no effect.
  private let isTrivial = _isPOD(Value.self)
  // Pointers and not optionals: bindings are not specialized for their values, so each access would look up the type of
  // an optional at run time. Accesses to pointers are not tracked either.
  private let places = Memory.allocate(for: Value.self, count: 3)
  /// The last value seen, if a value waits.
  @exclusivity(unchecked) private final var last: UnsafeMutablePointer<Value>
  /// The value that is being delivered or was last delivered, if there is one.
  @exclusivity(unchecked) private final var delivered: UnsafeMutablePointer<Value>
  /// The value before `delivered`, valid while ``isOutdated``.
  @exclusivity(unchecked) private final var outdated: UnsafeMutablePointer<Value>
  @exclusivity(unchecked) private final var hasDelivered = false
  @exclusivity(unchecked) private final var isOutdated = false
  /// The number of values that have not been delivered.
  @exclusivity(unchecked) private final var waiting = 0
  /// The values that have not been delivered, except the last one; usually empty.
  private var earlier = Queue<Value>()

  init(_ keyPath: KeyPath<State, Value> & Sendable, areEqual: @escaping ValueComparison<Value>) {
    property = StoredValue(keyPath)
    self.areEqual = areEqual
    (last, delivered, outdated) = (places, places + 1, places + 2)
  }

  deinit {
    if waiting > 0 { last.deinitialize(count: 1) }
    if hasDelivered { delivered.deinitialize(count: 1) }
    if isOutdated { outdated.deinitialize(count: 1) }
    Memory.release(places)
  }

  /// The value to deliver.
  final var prepared: UnsafePointer<Value> { UnsafePointer(delivered) }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    if let offset = property.offset { return see((state + offset).assumingMemoryBound(to: Value.self)) }
    return property.compute(in: state) { see($0) }
  }

  private final func see(_ value: UnsafePointer<Value>) -> Bool {
    if waiting > 0 {
      if areEqual(last, value) { return false }
      keepLast()
    } else if hasDelivered, areEqual(delivered, value) {
      return false
    }
    last.initialize(to: value.pointee)
    waiting += 1
    return true
  }

  override func prepare() {
    (delivered, outdated) = (outdated, delivered)
    (hasDelivered, isOutdated) = (true, hasDelivered && !isTrivial)
    waiting -= 1
    // By assignment, because `swap` would look up the pointers' type.
    if waiting == 0 { (last, delivered) = (delivered, last) } else { advance() }
  }

  override func releaseValue() {
    guard isOutdated else { return }
    isOutdated = false
    outdated.deinitialize(count: 1)
  }

  // Separate functions, because a function that uses the queue looks up its types on entry.

  @inline(never)
  private final func keepLast() { earlier.append(last.move()) }

  @inline(never)
  private final func advance() {
    guard let value = earlier.popFirst() else { preconditionFailure("fewer values wait than were counted") }
    delivered.initialize(to: value)
  }
}

/// The location of a value in a state.
///
/// A stored property is found by its offset. A computed one is read through the key path each time.
struct StoredValue<State: Sendable, Value: Sendable>: Sendable {
  private let keyPath: KeyPath<State, Value> & Sendable
  /// The offset from the state's beginning, or `nil` if the value is computed.
  let offset: Int?

  init(_ keyPath: KeyPath<State, Value> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<State>.offset(of: keyPath)
  }

  func compute(in state: UnsafeRawPointer, _ body: (UnsafePointer<Value>) -> Bool) -> Bool {
    withUnsafePointer(to: state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]) { body($0) }
  }
}
