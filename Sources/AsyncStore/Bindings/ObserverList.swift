/// Who is told of a store's commits.
///
/// Changed and walked only under the store's lock.
struct ObserverList {
  /// In the order of their coming; a hole where one has left.
  private var observers: ContiguousArray<CommitObserver?> = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ observer: CommitObserver) {
    observer.index = observers.count
    observers.append(observer)
    count += 1
  }

  mutating func remove(_ observer: CommitObserver) {
    guard observer.index >= 0, observers.indices.contains(observer.index), observers[observer.index] === observer else {
      return
    }
    observers[observer.index] = nil
    observer.index = -1
    count -= 1
    closeHolesIfMany()
  }

  /// Removes all that do not outlive the store's deactivation.
  ///
  /// - Returns: all, those that stay included.
  mutating func removeAll() -> [CommitObserver] {
    let all = observers.compactMap { $0 }
    observers = []
    count = 0
    for observer in all where observer.outlivesDeactivation { append(observer) }
    return all
  }

  /// The state has changed: whoever sees a new value will be told.
  mutating func note(_ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue) {
    var hop = -1
    var haveSomeLeft = false
    for index in observers.indices {
      guard let observer = observers[index], observer.note(state) else { continue }
      if hop < 0 { hop = DeliveryLoop.nextHop }
      deliveries.append(.value(observer, hop: hop))
      guard observer.leavesOnceTold else { continue }
      observers[index] = nil
      observer.index = -1
      count -= 1
      haveSomeLeft = true
    }
    if haveSomeLeft { closeHolesIfMany() }
  }

  private mutating func closeHolesIfMany() {
    guard count * 2 <= observers.count else { return }
    observers = observers.filter { $0 != nil }
    for (index, observer) in observers.enumerated() { observer?.index = index }
  }
}

/// An observer of one value of the state.
///
/// `@unchecked`: `last`, `pending` and `prepared` change under the lock of the observed store, save that `prepared` is read by the
/// one thread that delivers for it, between two calls of `prepare`.
class ValueObserver<State: Sendable, Value: Sendable>: CommitObserver, @unchecked Sendable {
  private let keyPath: KeyPath<State, Value> & Sendable
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?
  private var pending: [Value] = []
  private var firstPending = 0
  private(set) var prepared: Value?

  init(_ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?) {
    self.keyPath = keyPath
    self.areEqual = areEqual
  }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    let value = state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
    if let last, let areEqual, areEqual(last, value) { return false }
    last = value
    pending.append(value)
    return true
  }

  override func prepare() {
    prepared = pending[firstPending]
    firstPending += 1
    if firstPending * 2 >= pending.count {
      pending.removeFirst(firstPending)
      firstPending = 0
    }
  }
}
