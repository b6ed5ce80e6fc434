/// The parts that a module on top needs to run effects of its own beside a store.
extension AsyncStore {
  /// Returns whether a mutation received here is committed when `receive` returns, as far as isolation is concerned.
  package func commitsAtOnce(isolation: isolated (any Actor)? = #isolation) -> Bool {
    runtime.isOnIsolation() || runtime.isolation === isolation
  }

  /// Interprets an effect that inherits nothing from the caller: no task-local values, no priority.
  package func receiveWithoutInheriting(_ effect: Effect) {
    guard let program = effect.program else { return }
    let tree = TreeContext(runtime, mayOperate: false)
    tree.inheritNothing()
    runtime.begin(program, in: tree, inherited: false, isLifted: false, mayCommit: runtime.takeTurnsIfHere())
  }

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
