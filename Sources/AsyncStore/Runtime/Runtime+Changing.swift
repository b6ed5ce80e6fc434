/// What a change of the state is to its observers.
enum StateChange {
  case none
  /// Observers see it with the next commit.
  case silent
  case commit(because: AnyObject? = nil)

  var isCommit: Bool { if case .none = self { false } else { true } }
}

/// The one door to the state.
///
/// Every change comes through ``change(_:in:_:)``, but for a bare `set` that nobody has to be told of.
extension Runtime {
  /// Changes the state, under the lock, and notes the observers to tell.
  ///
  /// - Parameters:
  ///   - wrapper: what the commit is delivered inside of.
  ///   - body: is given where the state is, and answers what it has done.
  /// - Returns: what `body` answered.
  @inline(__always)
  @discardableResult
  func change(
    _ core: inout Core, in wrapper: DeliveryWrapper? = nil, _ body: (UnsafeMutableRawPointer) -> StateChange
  ) -> StateChange {
    let change = body(content.state)
    switch change {
    case .none: break
    case .silent: core.observers.noteSilently(content.state, &core.deliveries)
    case .commit(nil):
      if !core.observers.isEmpty { core.observers.note(content.state, &core.deliveries, in: wrapper) }
    case .commit(let cause?):
      if !core.observers.isEmpty {
        CommitCause.with(cause) { core.observers.note(content.state, &core.deliveries, in: wrapper) }
      }
    }
    return change
  }

  /// Applies successive mutations of a list, each of them a commit.
  func commit(_ site: Site<EffectProgram>, count: Int, _ core: inout Core) {
    let node = site.program.node
    let range = site.index..<(site.index + count)
    // In one call if nobody looks at the states in between.
    guard !core.observers.isEmpty else { return node.apply(range, to: content.state) }
    for index in range {
      change(&core) { state in
        node.apply(index..<(index + 1), to: state)
        return .commit()
      }
    }
  }
}

extension Runtime {
  // MARK: Observers

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
