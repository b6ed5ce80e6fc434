import AsyncStore

extension AsyncStore where State: Model, Env == State.Environment {
  /// Changes the state with an action.
  ///
  /// When this returns, the middleware's changes, the model's `update` and the returned effect up to its first wait
  /// have taken place; the rules are those of `receive(_:isolation:)`.
  ///
  /// ```swift
  /// let tally = StoreOf<Tally>(state: Tally(), env: ())
  /// tally.send(.increment)
  /// // tally.count == 1
  /// ```
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the action's effects or cancelling them. It may be dropped.
  /// - Complexity: one lock and `update`. If there is no middleware, no log, no reader of actions and no effect to
  ///   interpret, nothing is allocated, and no task begins.
  @inlinable
  @discardableResult
  public func send(_ action: State.Action, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    dispatch(isolation: isolation) { object, state in
      // The pointer is to the store's own state, and the store is locked.
      let state = state.assumingMemoryBound(to: State.self)
      let effect =
        object == nil
        ? State.update(&state.pointee, action) : Self.update(object, &state.pointee, action)
      if case .none = effect { return nil }
      return effect.node
    } otherwise: {
      receive(.send(action), isolation: nil)
    }
  }

  /// Changes the state with several actions, in one commit.
  ///
  /// The actions' states follow each other in order, and only the last one is visible. Their effects are merged. The
  /// rules are those of `send(_:isolation:)`.
  ///
  /// - Parameters:
  ///   - actions: the actions, in this order; an empty list makes no commit.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the effects of all the actions or cancelling them. It may be dropped.
  /// - Complexity: one lock, and `update` for each action.
  @discardableResult
  public func send(_ actions: [State.Action], isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    if actions.isEmpty { return receive(.none, isolation: isolation) }
    return dispatch(isolation: isolation) { object, state in
      let state = state.assumingMemoryBound(to: State.self)
      return Effect.merge(effects: actions.map { Self.update(object, &state.pointee, $0) }).node
    } otherwise: {
      receive(.send(actions), isolation: nil)
    }
  }

  /// Changes the state with an action and waits until everything attached to its effect has settled.
  ///
  /// Cancelling the calling task cancels the effect, including detached parts, and returns once its operations have
  /// returned and its cleanups have settled; the change made by the action itself stays.
  ///
  /// The action is handled on the caller's actor if there is one; see `AsyncStore.run(_:)`.
  ///
  /// - Parameter action: the action.
  /// - Returns: the outcome of the effect; `inactive` if the store was not active and nothing happened.
  @discardableResult
  public nonisolated(nonsending) func run(_ action: State.Action) async -> EffectOutcome { await run(.send(action)) }

  /// Updates the state under the lock, through the store's hub if there is one.
  @usableFromInline
  static func update(_ hub: AnyObject?, _ state: inout State, _ action: State.Action) -> Effect {
    OngoingCommit(object: hub).update(&state, action)
  }
}

extension AsyncStore.Effect where State: Model, Env == State.Environment {
  /// Sends an action.
  ///
  /// The state changes when this effect is reached, and the effect that the model returns is interpreted in its place,
  /// with the same identifiers and the same cancellation. If this effect is cancelled before it is reached, it sends
  /// nothing.
  public static func send(_ action: State.Action, file: StaticString = #fileID, line: UInt = #line) -> Self {
    .dispatch(action, file, line) { $0.update(&$1, action) }
  }

  /// Sends several actions, as one commit.
  ///
  /// The effects of the actions are merged. If this effect is cancelled before it is reached, it sends none of them.
  public static func send(_ actions: [State.Action], file: StaticString = #fileID, line: UInt = #line) -> Self {
    if actions.isEmpty { return .none }
    return .dispatch(ActionBatch(actions: actions), file, line) { ongoing, state in
      .merge(effects: actions.map { ongoing.update(&state, $0) })
    }
  }
}

/// Several actions as one message.
struct ActionBatch<Action: Sendable>: Sendable {
  let actions: [Action]
}
