/// Changes of the state.
///
/// All go through ``change(_:in:_:)``, with three fast paths as exceptions, each with its measured reason: a bare `set`
/// of a store without observers, a bare `set` of a store that has observers and nothing else, and successive mutations
/// of a list.
extension Runtime {
  /// Changes the state, under the lock, and records which observers to notify.
  ///
  /// - Parameters:
  ///   - wrapper: wraps the delivery of the commit.
  ///   - body: changes the state at this address.
  /// - Returns: the result of `body`.
  @inline(__always)
  @discardableResult
  func change(
    _ core: inout Core, in wrapper: DeliveryWrapper? = nil, _ body: (UnsafeMutableRawPointer) -> StateChange
  ) -> StateChange {
    let change = body(content.state)
    switch change {
    case .none: break
    case .silent: core.noteSilently(content.state)
    case .commit(nil):
      if !core.observers.isEmpty { core.noteCommit(content.state, in: wrapper) }
    case .commit(let cause?):
      if !core.observers.isEmpty {
        CommitCause.with(cause) { core.noteCommit(content.state, in: wrapper) }
      }
    }
    return change
  }

  /// Applies a mutation, under the lock.
  @inline(__always)
  func apply<State, Env>(_ mutation: AsyncStore<State, Env>.Mutation, _ core: inout Core) {
    change(&core) { state in
      mutation.change.apply(to: state.assumingMemoryBound(to: State.self))
      return .commit()
    }
  }

  /// Applies successive mutations of a list, each as a commit.
  func commitList(_ site: Site<EffectProgram>, count: Int, _ core: inout Core) {
    let range = site.index..<(site.index + count)
    // In one call if nobody looks at the states in between: one by one, a set takes about 50 instructions more, whether
    // it is made and received or received again (`Tests/Benchmarks/instructions P5a P5b`).
    guard !core.observers.isEmpty else { return site.program.node.apply(range, to: content.state) }
    for index in range {
      change(&core) { state in
        site.program.node.apply(index..<(index + 1), to: state)
        return .commit()
      }
    }
  }

  // MARK: Sources

  /// Emits the next effect of a source: a timer, a sequence, or a binding.
  ///
  /// - Parameters:
  ///   - makeEffect: maps the source's value, unless the source is cancelled.
  ///   - isCancelled: whether the source was cancelled before its value is mapped.
  ///   - interpret: interprets an effect that needs a fiber, and returns whether the source is still alive.
  /// - Returns: true if the source is still alive.
  @inline(__always)
  @discardableResult
  func emit<State, Env>(
    _ makeEffect: @autoclosure () -> AsyncStore<State, Env>.Effect, from source: FiberID,
    unless isCancelled: @autoclosure () -> Bool, _ interpret: (AsyncStore<State, Env>.Effect) -> Bool
  ) -> Bool {
    guard !isCancelled() else { return false }
    let effect = makeEffect()
    return commitInPlace(effect, of: source) || interpret(effect)
  }

  /// Takes the fast path, for example for a binding that copies values or a timer that counts.
  ///
  /// A change of the state needs no fiber of its own if nothing of the source's earlier effects is left to wait for or
  /// to cancel. The effect stays where it is, because moving its mutation out takes as long as the change. By the slow
  /// path, one of 100 bound stores takes 3,200 instructions more (`Tests/Benchmarks/instructions P9a`).
  ///
  /// - Returns: true if the effect was applied.
  @inline(__always)
  private func commitInPlace<State, Env>(_ effect: AsyncStore<State, Env>.Effect, of source: FiberID) -> Bool {
    guard effect.isSet, takeTurnsIfHere(from: source) else { return false }
    var hasDeliveries = false
    let isDone = lockInlined { core in
      guard core.machine.mayCommitInPlace(source) else { return false }
      change(&core) { state in
        effect.applySet(to: state.assumingMemoryBound(to: State.self))
        return .commit()
      }
      hasDeliveries = mustDeliver(&core)
      return true
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
    return isDone
  }
}

extension AsyncStore {
  /// Returns the address of the state; dereference it only while the runtime is locked.
  @inline(__always)
  static func state(of runtime: Runtime) -> UnsafeMutablePointer<State> {
    runtime.content.state.assumingMemoryBound(to: State.self)
  }

  /// Commits a bare `set`.
  @inline(__always)
  func commit(_ mutation: Mutation) -> EffectHandle {
    let runtime = runtime
    var delivery = CommitDelivery.none
    let isActive = runtime.lockInlined { core in
      // Without this path, the commit of a store with one bound store takes 1,160 instructions instead of 730
      // (`Tests/Benchmarks/instructions P9a`).
      if core.isPlain {
        mutation.change.apply(to: Self.state(of: runtime))
        if !core.isUnobserved { delivery = DeliveryLoop.noteCommit(of: runtime, &core) }
        return true
      }
      if core.isActive { runtime.apply(mutation, &core) }
      runtime.recordChange(Effect.set(mutation).summary, &core)
      if runtime.mustDeliver(&core) { delivery = .queued }
      return core.isActive
    }
    DeliveryLoop.deliver(delivery, from: runtime)
    return isActive ? .finished : .inactive
  }
}
