import Synchronization

/// The observers of a store's commits.
///
/// Changed and walked only under the store's lock. Each commit walks the list, and counting references to the observers
/// on the way would be most of the cost. So the list owns one reference to each observer by hand, from `append` until
/// removal. Tracked properties that are computed from one source are notified after all others, in groups.
struct ObserverList: ~Copyable {
  /// The observers in the order in which they were added, `nil` where one was removed.
  private var observers = UniqueArray<Unmanaged<CommitObserver>?>()
  private(set) var count = 0
  /// The observers through which Observation tracks the current values of properties, by key path.
  ///
  /// A key holds the arguments of its subscripts, which belong to the user. Each key is the same object as its
  /// observer's, so that removing an entry under the lock never releases the last reference to a key. `nil` until a
  /// property is tracked, because a store is created and freed faster without it.
  var tracked: [AnyKeyPath: Unmanaged<CommitObserver>]?
  /// The groups of tracked properties that are compared together, each with at least one member.
  var groups = UniqueArray<TrackedGroup>()

  deinit { for index in 0..<observers.count { observers[index]?.release() } }

  var isEmpty: Bool { count == 0 && groups.isEmpty }

  mutating func append(_ observer: CommitObserver) {
    observer.index = observers.count
    // The list owns this reference until ``take(at:)``.
    observers.append(.passRetained(observer))
    count += 1
    guard let keyPath = observer.trackedKeyPath else { return }
    if tracked == nil { tracked = [:] }
    guard tracked?.updateValue(.passUnretained(observer), forKey: keyPath) != nil else { return }
    // The entry still has the equal key of the earlier observer, which is in the list and holds that key too.
    tracked?[keyPath] = nil
    tracked?[keyPath] = .passUnretained(observer)
  }

  mutating func remove(_ observer: CommitObserver, _ deliveries: inout DeliveryQueue) {
    guard let index = index(of: observer) else { return }
    deliveries.release(take(at: index))
    closeHolesIfMany()
  }

  /// The bindings of other stores, and of the store itself, by their identifiers.
  var bindings: [(identifier: EffectID, downstream: Runtime)] {
    (0..<observers.count).compactMap { index in
      observers[index]?._withUnsafeGuaranteedRef { observer in
        guard let downstream = observer.downstreamRuntime, let identifier = observer.identifier,
          !observer.hasDeparted.load(ordering: .relaxed)
        else { return nil }
        return (identifier, downstream)
      }
    }
  }

  private func index(of observer: CommitObserver) -> Int? {
    guard let index = observer.index, index < observers.count,
      observers[index]?.toOpaque() == Unmanaged.passUnretained(observer).toOpaque()
    else { return nil }
    return index
  }

  /// Removes the observer at an index and leaves a hole.
  ///
  /// - Returns: the observer, with the list's reference.
  // Not inlined, to keep the loop over the observers of each commit short.
  @inline(never)
  private mutating func take(at index: Int) -> Unmanaged<CommitObserver> {
    guard let observer = observers[index] else { preconditionFailure("there is no observer at \(index)") }
    observer._withUnsafeGuaranteedRef { observer in
      observer.index = nil
      guard let keyPath = observer.trackedKeyPath,
        tracked?[keyPath]?.toOpaque() == Unmanaged.passUnretained(observer).toOpaque()
      else { return }
      tracked?[keyPath] = nil
    }
    observers[index] = nil
    count -= 1
    return observer
  }

  /// The observers, in the order in which they were added.
  var all: [CommitObserver] { (0..<observers.count).compactMap { observers[$0]?.takeUnretainedValue() } }

  /// Removes the observers that end when the store is deactivated.
  ///
  /// - Returns: all observers, including those that stay.
  mutating func endActivity() -> [CommitObserver] {
    let all = all
    for observer in all where observer.endsWithActivity {
      if let index = observer.index { take(at: index).release() }
    }
    closeHolesIfMany()
    return all
  }

  /// Removes the observers for which `leaves` returns true, to which the list's reference to them then belongs.
  @inline(__always)
  mutating func removeAll(where leaves: (Unmanaged<CommitObserver>) -> Bool) {
    var someHaveLeft = false
    for index in 0..<observers.count {
      guard let observer = observers[index], leaves(observer) else { continue }
      _ = take(at: index)
      someHaveLeft = true
    }
    if someHaveLeft { closeHolesIfMany() }
  }

  /// Removes the observers that left while the store was busy.
  mutating func removeDeparted(_ deliveries: inout DeliveryQueue) {
    removeAll { observer in
      guard observer._withUnsafeGuaranteedRef({ $0.hasDeparted.load(ordering: .relaxed) }) else { return false }
      deliveries.append(.departed(observer.takeRetainedValue()))
      return true
    }
    closeHolesIfMany()
  }

  /// Queues a silent change for the observers that ask for silent changes.
  func noteSilently(_ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue) {
    for index in 0..<observers.count {
      guard let observer = observers[index] else { continue }
      observer._withUnsafeGuaranteedRef { observer in
        guard !observer.hasDeparted.load(ordering: .relaxed), observer.noteSilently(state) else { return }
        deliveries.append(.passUnretained(observer), hop: DeliveryLoop.hop(toNewsOf: observer))
      }
    }
  }

  private mutating func closeHolesIfMany() {
    guard count * 2 <= observers.count else { return }
    if count == 0, observers.capacity > 1024 {
      // Many observers have come and gone, so their memory is freed too. Their entries were removed with them.
      observers.forgetAll()
      tracked = nil
      return
    }
    observers.removeAll { $0 == nil }
    for index in 0..<observers.count { observers[index]?._withUnsafeGuaranteedRef { $0.index = index } }
  }
}
