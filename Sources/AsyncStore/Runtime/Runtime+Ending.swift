extension Runtime {
  var isActive: Bool { lock { $0.isActive } }

  /// Cancels one received tree, by its handle.
  func cancelTree(_ root: StrandID) { perform { $0.machine.cancelTree(root, &$0.pass) } }

  /// Cancels everything, and takes no more effects.
  func end() {
    perform { core in
      core.isActive = false
      core.machine.cancelAll(&core.pass)
      // At once with the rest, or one that comes after the next `activate` would be ended too. They are told behind the
      // values that were committed before.
      for observer in core.observers.removeThoseThatEnd() { core.deliveries.append(.end(observer)) }
    }
  }

  /// The store that this is the runtime of has been let go of: nobody reads or changes the state any more.
  func storeIsGone() {
    let isAtRest = lock { core in
      core.machine.liveCount == 0 && core.observers.isEmpty && core.deliveries.isEmpty
    }
    if !isAtRest { end() }
    discardState()
  }
}
