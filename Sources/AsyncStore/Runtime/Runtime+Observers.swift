extension Runtime {
  /// Adds an observer, which is told the current value first.
  ///
  /// - Returns: true if the store is active, and the observer was added.
  func attach(_ observer: CommitObserver) -> Bool {
    let isAttached = lock { core in
      guard core.phase != .inactive else { return false }
      core.observers.append(observer)
      if observer.note(content.state) {
        core.deliveries.append(.passUnretained(observer), hop: DeliveryLoop.nextHop)
      }
      return true
    }
    if isAttached { DeliveryLoop.deliver(from: self) }
    return isAttached
  }

  func detach(_ observer: CommitObserver) {
    // Values that wait are not delivered any more.
    observer.isDetached.store(true, ordering: .releasing)
    // A mutation may drop a store that is bound to this one: then it leaves the list with the next commit.
    if isLockedHere { return }
    lock { $0.observers.remove(observer) }
  }
}
