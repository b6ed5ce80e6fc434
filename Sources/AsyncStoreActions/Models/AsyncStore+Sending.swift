extension AsyncStore where State: Model, Env == State.Environment {
  /// Changes the state by an action.
  ///
  /// The middleware's changes, the model's `update` and the effect that it answers with up to the first thing it has to wait for
  /// have taken place when this returns; the rules are those of ``AsyncStore/receive(_:isolation:)``.
  ///
  /// ```swift
  /// let tally = StoreOf<Tally>(state: Tally(), env: ())
  /// tally.send(.increment)
  /// // tally.count == 1
  /// ```
  ///
  /// - Parameters:
  ///   - action: what happens.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Returns: a handle to wait for the effects of the action, or to cancel them. It may be dropped.
  /// - Complexity: one lock and `update`; no allocation, no task.
  @discardableResult
  public func send(_ action: State.Action, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    dispatch(isolation: isolation) { attachment, state in
      attachment.update(&state, action)
    } otherwise: {
      .send(action)
    }
  }

  /// Changes the state by several actions, in one commit.
  ///
  /// Their states follow each other in order, and only the last one is seen by anybody. Their effects are merged.
  @discardableResult
  public func send(_ actions: [State.Action], isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    dispatch(isolation: isolation) { attachment, state in
      .merge(effects: actions.map { attachment.update(&state, $0) })
    } otherwise: {
      .send(actions)
    }
  }

  /// Changes the state by an action and waits until everything attached to its effect has settled.
  ///
  /// Cancelling the calling task cancels the effect.
  @discardableResult
  public func run(_ action: State.Action, isolation: isolated (any Actor)? = #isolation) async -> EffectOutcome {
    await run(.send(action), isolation: isolation)
  }
}

extension AsyncStore.Effect where State: Model, Env == State.Environment {
  /// Sends an action.
  ///
  /// The state changes when this effect is reached, and the effect that the model answers with is interpreted in its place.
  public static func send(_ action: State.Action, file: StaticString = #fileID, line: UInt = #line) -> Self {
    .dispatch(action, file, line) { $0.update(&$1, action) }
  }

  /// Sends several actions, as one commit.
  ///
  /// Their effects are merged.
  public static func send(_ actions: [State.Action], file: StaticString = #fileID, line: UInt = #line) -> Self {
    .dispatch(ActionBatch(actions: actions), file, line) { attachment, state in
      .merge(effects: actions.map { attachment.update(&state, $0) })
    }
  }
}

/// Several actions as one message.
struct ActionBatch<Action: Sendable>: Sendable {
  let actions: [Action]
}
