/// The parts that a higher module needs to run effects of its own beside a store.
extension AsyncStore {
  /// Returns whether a mutation received here is committed when `receive` returns, judging by isolation alone.
  package func commitsAtOnce(isolation: isolated (any Actor)? = #isolation) -> Bool {
    runtime.call(from: isolation) { mayCommit in mayCommit }
  }

  /// Interprets an effect that inherits neither task-local values nor a priority from the caller.
  package func receiveWithoutInheriting(_ effect: Effect) { Self.receiveWithoutInheriting(effect, in: runtime) }

  private static func receiveWithoutInheriting(_ effect: Effect, in runtime: Runtime) {
    guard let program = effect.program else { return }
    let tree = TreeContext(runtime, mayOperate: false)
    tree.inheritNothing()
    runtime.begin(program, in: tree, inherited: false, mayCommit: runtime.takeTurnsIfHere())
  }

  /// A reference that does not hold the store, not even while it is used.
  ///
  /// For background work. If that work held the store for a moment, it could release the last reference, and end the
  /// store there, after the call that released all other references has returned.
  package struct WeakReference: Sendable {
    fileprivate weak let runtime: Runtime?

    /// Reads the state.
    ///
    /// - Parameter isThere: returns whether the state still exists, which it does until listeners have been notified
    ///   that the store is going away; called under the store's lock.
    package func withState<Result>(if isThere: () -> Bool, _ body: (borrowing State) -> Result) -> Result? {
      guard let runtime else { return nil }
      return runtime.lock { _ in isThere() ? body(AsyncStore.state(of: runtime).pointee) : nil }
    }

    /// Interprets an effect that inherits nothing; does nothing if the store is no longer active.
    package func receive(_ effect: Effect) {
      if let runtime { AsyncStore.receiveWithoutInheriting(effect, in: runtime) }
    }
  }

  package var weakReference: WeakReference { WeakReference(runtime: runtime) }

  /// Creates a store, with the same time, in which a higher module runs effects of its own.
  ///
  /// The separate store keeps users from accidentally cancelling those effects or taking the threads that they need.
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

  /// Calls `body` once with the effect's outcome: at once if the effect has ended, otherwise on the thread that ends
  /// it, under no lock.
  package func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    switch storage {
    case .finished: body(.finished)
    case .inactive: body(.inactive)
    case .tree(let tree): tree.whenSettled(body)
    }
  }
}
