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

  /// Lets go of those that end with the store's activity.
  ///
  /// - Returns: all, those that stay included.
  mutating func endActivity() -> [CommitObserver] {
    let all = observers.compactMap { $0 }
    for observer in all where observer.endsWithActivity {
      observers[observer.index] = nil
      observer.index = -1
      count -= 1
    }
    closeHolesIfMany()
    return all
  }

  /// The state has changed: whoever sees a new value will be told, inside the wrapper if there is one.
  mutating func note(
    _ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue, in wrapper: DeliveryWrapper? = nil
  ) {
    var hop = -1
    var haveSomeLeft = false
    for index in observers.indices {
      guard let observer = observers[index] else { continue }
      let isDetached = observer.isDetached.load(ordering: .relaxed)
      if !isDetached {
        guard observer.note(state) else { continue }
        if hop < 0 { hop = DeliveryLoop.nextHop }
        if let wrapper {
          deliveries.append(.wrapped(observer, hop: hop, wrapper))
        } else {
          deliveries.append(.value(observer, hop: hop))
        }
        guard observer.leavesOnceTold else { continue }
      }
      observers[index] = nil
      observer.index = -1
      count -= 1
      haveSomeLeft = true
    }
    if haveSomeLeft { closeHolesIfMany() }
  }

  /// The state has changed, and nobody is to be told.
  func noteSilently(_ state: UnsafeRawPointer) {
    for case let observer? in observers { observer.noteSilently(state) }
  }

  private mutating func closeHolesIfMany() {
    guard count * 2 <= observers.count else { return }
    observers = observers.filter { $0 != nil }
    for (index, observer) in observers.enumerated() { observer?.index = index }
  }
}
