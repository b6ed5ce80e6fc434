import Synchronization

extension Runtime {
  /// Adds an observer, which first receives the current value.
  ///
  /// - Returns: true if the store is active, and the observer was added.
  func add(_ observer: CommitObserver) -> Bool {
    let isAdded = lock { core in
      guard core.phase != .inactive else { return false }
      core.append(observer)
      if observer.note(content.state) {
        core.deliveries.append(.passUnretained(observer), hop: DeliveryLoop.hop(toNewsOf: observer))
      }
      return true
    }
    if isAdded { DeliveryLoop.deliver(from: self) }
    return isAdded
  }

  func remove(_ observer: CommitObserver) {
    // Waiting values are not delivered any more.
    observer.hasDeparted.store(true, ordering: .releasing)
    // A mutation may release a store that is bound to this one.
    DeferredWork.whenUnlocked { self.lock { $0.remove(observer) } }
  }
}
