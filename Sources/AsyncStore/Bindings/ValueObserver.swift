/// An observer of one value of the state.
///
/// `@unchecked` because its superclass is, and for the values: all are touched only while the observed store is locked. `prepared`
/// is also read after it, by the one thread that delivers for that store; and only that thread calls `prepare`, which writes it.
class ValueObserver<State: Sendable, Value: Sendable>: CommitObserver, @unchecked Sendable {
  private let property: StoredValue<State, Value>
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private let slots = ValueSlots<Value>()
  /// Those that wait behind the next one; rarely any.
  private var later = Ring<Value>()
  private var laterCount = 0

  init(_ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?) {
    property = StoredValue(keyPath)
    self.areEqual = areEqual
  }

  deinit { slots.deallocate() }

  /// The value that is to be delivered.
  final var prepared: Value { slots[.delivered] }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    let value = property.value(in: state)
    if slots.isFull(.last), let areEqual, areEqual(slots[.last], value) { return false }
    slots.set(.last, value)
    if slots.isFull(.next) { postpone(value) } else { slots.set(.next, value) }
    return true
  }

  override func prepare() {
    slots.set(.delivered, slots[.next])
    slots.empty(.next)
    if laterCount > 0 { advance() }
  }

  // The ring's types are looked up where a function that uses it begins: so these two are functions of their own.

  @inline(never)
  private final func postpone(_ value: Value) {
    later.append(value)
    laterCount += 1
  }

  @inline(never)
  private final func advance() {
    guard let value = later.popFirst() else { return }
    laterCount -= 1
    slots.set(.next, value)
  }
}

/// Places for values, each with one or none.
///
/// Not optionals, whose type would have to be looked up at run time each time they are touched: bindings are generic, and
/// not specialised for their values.
private struct ValueSlots<Value> {
  enum Place: Int, CaseIterable {
    /// The last value that was seen.
    case last
    /// The oldest that has not been delivered.
    case next
    case delivered
  }

  private let values = UnsafeMutablePointer<Value>.allocate(capacity: Place.allCases.count)
  private let isFull = UnsafeMutablePointer<Bool>.allocate(capacity: Place.allCases.count)

  init() { isFull.initialize(repeating: false, count: Place.allCases.count) }

  func isFull(_ place: Place) -> Bool { isFull[place.rawValue] }

  subscript(place: Place) -> Value { values[place.rawValue] }

  func set(_ place: Place, _ value: Value) {
    if isFull[place.rawValue] {
      values[place.rawValue] = value
    } else {
      (values + place.rawValue).initialize(to: value)
      isFull[place.rawValue] = true
    }
  }

  func empty(_ place: Place) {
    if isFull[place.rawValue] { (values + place.rawValue).deinitialize(count: 1) }
    isFull[place.rawValue] = false
  }

  func deallocate() {
    for place in Place.allCases { empty(place) }
    values.deallocate()
    isFull.deallocate()
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
