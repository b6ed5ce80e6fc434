extension Runtime {
  var isActive: Bool { lock { $0.isActive } }

  /// Cancels one received tree.
  func cancel(_ tree: TreeContext) {
    perform { core in
      // Asked under the lock: if the tree has not begun yet, it finds that it is cancelled.
      if let root = tree.root { core.machine.cancelTree(root, &core.pass) }
    }
  }

  /// Cancels everything, and takes no more effects.
  func end() {
    perform { core in
      core.isActive = false
      core.machine.cancelAll(&core.pass)
      // At once with the rest, or one that comes after the next `activate` would be ended too. They are told behind the
      // values that were committed before.
      let observers = core.observers.endActivity()
      willEnd(observers)
      for observer in observers { core.deliveries.append(.end(observer)) }
    }
  }

  /// A source emits no more.
  func sourceEnded(_ run: Run, _ error: (any Error)? = nil) {
    perform { core in
      core.end(run)
      if let error {
        core.machine.sourceFailed(run.id, error, &core.pass)
      } else {
        core.machine.sourceEnded(run.id, &core.pass)
      }
    }
  }

  /// The store that this is the runtime of has been let go of: nobody reads or changes the state any more.
  func storeIsGone() {
    let isAtRest = lock { core in
      // Somebody who is just about to attach to it must find it closed.
      core.isActive = false
      return core.machine.liveCount == 0 && core.observers.isEmpty && core.deliveries.isEmpty
    }
    if !isAtRest { end() }
    discardState()
  }
}
