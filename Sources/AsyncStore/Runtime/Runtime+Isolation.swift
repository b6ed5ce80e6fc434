extension Runtime {
  /// Returns whether commits may happen on this thread, as far as that is known.
  ///
  /// Otherwise they wait for a turn on the actor, which is always right.
  func isOnIsolation() -> Bool { isolation == nil || Self.actorOfThread.value === isolation }

  /// Runs `body`, which does not suspend, on a caller that is known to be on the store's actor.
  func onIsolation<Result>(_ body: () -> Result) -> Result {
    let outer = Self.actorOfThread.value
    Self.actorOfThread.value = isolation
    defer { Self.actorOfThread.value = outer }
    return body()
  }

  /// The actor that this thread is known to be on.
  ///
  /// Swift does not tell it for every actor, nor on every platform.
  private static let actorOfThread = ThreadVariable<AnyObject>()

  /// Runs `body` in a turn on the actor.
  func takeTurn(_ body: @escaping @Sendable (Runtime) -> Void) {
    guard let isolation else { return }
    Task.detached(executorPreference: executor) { await self.run(body, on: isolation) }
  }

  private func run(_ body: (Runtime) -> Void, on isolation: isolated any Actor) {
    onIsolation { body(self) }
  }
}
