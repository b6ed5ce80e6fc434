/// The parts that a module on top needs to run effects of its own beside a store.
extension AsyncStore {
  /// Returns whether a mutation received here is committed when `receive` returns, as far as isolation is concerned.
  package func commitsAtOnce(isolation: isolated (any Actor)? = #isolation) -> Bool {
    runtime.isOnIsolation() || runtime.isolation === isolation
  }

  /// Interprets an effect that inherits nothing from the caller: no task-local values, no priority.
  package func receiveWithoutInheriting(_ effect: Effect) { Self.receiveWithoutInheriting(effect, in: runtime) }

  private static func receiveWithoutInheriting(_ effect: Effect, in runtime: Runtime) {
    guard let program = effect.program else { return }
    let tree = TreeContext(runtime, mayOperate: false)
    tree.inheritNothing()
    runtime.begin(program, in: tree, inherited: false, mayCommit: runtime.takeTurnsIfHere())
  }

  /// A reference that does not hold the store, not even while it is used.
  ///
  /// For work in the background: if that held the store for a moment, the last reference could go there, and the store
  /// end there, after the call that has released all others has returned.
  package struct WeakReference: Sendable {
    fileprivate weak let runtime: Runtime?

    /// Reads the state.
    ///
    /// - Parameter isThere: returns whether the state is there, which it is until listeners have been told that the
    ///   store is going away; called under the store's lock.
    package func withState<Result>(if isThere: () -> Bool, _ body: (borrowing State) -> Result) -> Result? {
      guard let runtime else { return nil }
      return runtime.lock { _ in isThere() ? body(AsyncStore.state(of: runtime).pointee) : nil }
    }

    /// Interprets an effect that inherits nothing; does nothing if the store is not active any more.
    package func receive(_ effect: Effect) {
      if let runtime { AsyncStore.receiveWithoutInheriting(effect, in: runtime) }
    }
  }

  package var weakReference: WeakReference { WeakReference(runtime: runtime) }

  /// Makes a store for a module on top to run its own effects in, with the same time.
  ///
  /// So users can't cancel those effects by accident, nor take the threads that these need.
  package func makeCompanion() -> AsyncStore<Void, Void> {
    let seed = runtime.lock { $0.machine.generator.next() }
    return AsyncStore<Void, Void>(
      state: (), env: (), name: nil, time: runtime.time, isolation: nil, executor: runtime.simulatedExecutor,
      seed: seed, instrument: nil, mapError: nil)
  }
}

extension EffectHandle {
  /// The handle of an effect that was sent to a store that is gone.
  package static var ofNothing: EffectHandle { .inactive }

  /// Calls `body` once with the effect's outcome: at once if it has ended, else on the thread that ends it, under no
  /// lock.
  package func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    switch storage {
    case .finished: body(.finished)
    case .inactive: body(.inactive)
    case .tree(let tree): tree.whenSettled(body)
    }
  }
}
