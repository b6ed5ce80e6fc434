extension AnyAsyncStore {
  /// Commits and continues with an effect in one step, as ``AsyncStore/Effect/update(_:file:line:)`` does.
  ///
  /// It is `receive` without an initial effect. It is not generic, so that the body, which knows the types, can be
  /// compiled for them where they are known. Nothing is allocated unless the body returns an effect.
  ///
  /// - Parameters:
  ///   - body: runs under the lock, once, if the store is active. It takes the object associated with the store and the
  ///     address of the state, and returns the effect to continue with.
  ///   - otherwise: called instead if commits of the store can't happen on this thread.
  @usableFromInline
  package func dispatch(
    isolation: isolated (any Actor)?, _ body: (AnyObject?, UnsafeMutableRawPointer) -> EffectNode?,
    otherwise: () -> EffectHandle
  ) -> EffectHandle {
    runtime.call(from: isolation) { mayCommit in mayCommit ? runtime.dispatch(body) : otherwise() }
  }

  /// Commits before it returns, or traps where commits don't happen.
  ///
  /// - Parameter body: runs under the lock, once, if the store is active. It takes the address of the state, and
  ///   returns whether it has changed the state.
  @usableFromInline
  func update(
    isolation: isolated (any Actor)?, at location: CallSite, _ body: (UnsafeMutableRawPointer) -> Bool
  ) {
    runtime.call(from: isolation) { mayCommit in
      if mayCommit { return runtime.update(at: location, body) }
      guard let own = runtime.isolation else { return }
      // If the caller's declaration does not say that it is on the actor, only the runtime can check.
      own.trapUnlessIsolated(
        "\(location): `update` was called off the store's actor, \(type(of: own)). Await that actor, or use `receive`.")
      Runtime.on(own) { runtime.update(at: location, body) }
    }
  }
}

extension AsyncStore.Effect {
  /// A message to the store, together with its handling.
  ///
  /// - Parameters:
  ///   - message: the message to send instead to a store that this effect is embedded in.
  ///   - body: runs like the closure of ``update(_:file:line:)``.
  package static func dispatch(
    _ message: any Sendable, _ file: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (inout AsyncStore.OngoingCommit, inout State) -> Self
  ) -> Self {
    .node(.evaluate, .dispatch(message, body), file, line)
  }

  /// Changes the state without notifying observers, which see the change with the next commit.
  package static func setSilently(
    _ mutation: @escaping @Sendable (inout State) -> Void, _ file: StaticString, _ line: UInt
  ) -> Self {
    .node(.evaluate, .silent(mutation), file, line)
  }
}
