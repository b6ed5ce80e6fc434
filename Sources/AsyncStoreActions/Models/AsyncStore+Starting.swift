import AsyncStore

extension AsyncStore where State: Model, Env == State.Environment {
  /// Creates a store with middleware, and starts it with an action.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - env: the dependencies of effects.
  ///   - name: the store's name for people, in events, logs and traces; by default none.
  ///   - middleware: the middleware, from left to right; see ``Middleware``.
  ///   - clock: the clock for all of the store's time.
  ///   - isolation: the actor on which changes of the state happen; by default none.
  ///   - executor: the executor on which operations run; by default the global executor.
  ///   - seed: the seed of the generator for jitter; by default a random number.
  ///   - instrument: receives the store's events; by default there is none.
  ///   - action: the first action, sent at once, or in a turn on the store's actor if it is bound to one; by default
  ///     none.
  ///   - mapError: maps an operation's error to the effect that takes the operation's place. Without it, errors are
  ///     reported only to the instrument and the handle.
  public convenience init<C: Clock>(
    state: State, env: Env, name: String? = nil, middleware: [Middleware<State>], clock: C = ContinuousClock(),
    isolation: (any Actor)? = nil, executor: (any TaskExecutor)? = nil, seed: UInt64? = nil,
    instrument: (any StoreInstrument)? = nil, action: State.Action? = nil,
    mapError: (@Sendable (any Error) -> Effect)? = nil
  ) where C.Duration == Duration {
    self.init(
      state: state, env: env, name: name, clock: clock, isolation: isolation, executor: executor, seed: seed,
      instrument: instrument, mapError: mapError)
    install(middleware)
    if let action { send(action, isolation: nil) }
  }

  /// Creates a store with a state computed from its environment, and starts it with an effect.
  ///
  /// - Parameters:
  ///   - env: the dependencies of effects.
  ///   - name: the store's name for people, in events, logs and traces; by default none.
  ///   - middleware: the middleware, from left to right, which also handles the actions of the first effect; by default
  ///     none.
  ///   - clock: the clock for all of the store's time.
  ///   - isolation: the actor on which changes of the state happen; by default none.
  ///   - executor: the executor on which operations run; by default the global executor.
  ///   - seed: the seed of the generator for jitter; by default a random number.
  ///   - instrument: receives the store's events; by default there is none.
  ///   - mapError: maps an operation's error to the effect that takes the operation's place. Without it, errors are
  ///     reported only to the instrument and the handle.
  ///   - create: returns the initial state and the first effect. If the store is bound to an actor, the effect's
  ///     changes follow in a turn there. Runs before this returns.
  public convenience init<C: Clock>(
    env: Env, name: String? = nil, middleware: [Middleware<State>] = [], clock: C = ContinuousClock(),
    isolation: (any Actor)? = nil, executor: (any TaskExecutor)? = nil, seed: UInt64? = nil,
    instrument: (any StoreInstrument)? = nil, mapError: (@Sendable (any Error) -> Effect)? = nil,
    create: (Env) -> (state: State, effect: Effect)
  ) where C.Duration == Duration {
    let (state, effect) = create(env)
    self.init(
      state: state, env: env, name: name, clock: clock, isolation: isolation, executor: executor, seed: seed,
      instrument: instrument, mapError: mapError)
    install(middleware)
    receive(effect, isolation: nil)
  }

  // MARK: Store actions

  /// Runs the model's ``Model/prepare(_:)``.
  ///
  /// Call it once, when everything that the first effects need is in place. The change happens where and when a change
  /// by `send(_:isolation:)` does.
  ///
  /// - Returns: a handle for waiting for the effects or cancelling them. It may be dropped.
  @discardableResult
  public func prepare(isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    receive(.prepare(), isolation: isolation)
  }

  /// Replaces the state.
  ///
  /// Effects in flight continue, and may change the new state; `.concatenate(.cancelAll(), .reset(to: state))` first
  /// ends the effects with an identifier. Transactions without an identifier continue, and are run again if they have
  /// read what is replaced.
  @discardableResult
  public func reset(to state: State, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    receive(.reset(to: state), isolation: isolation)
  }
}

extension AsyncStore.Effect where State: Model, Env == State.Environment {
  /// Runs the model's ``Model/prepare(_:)``.
  public static func prepare(file: StaticString = #fileID, line: UInt = #line) -> Self {
    .update({ State.prepare(&$0) }, file: file, line: line)
  }

  /// Replaces the state, in one commit.
  ///
  /// An action log records it as a change that no action made.
  public static func reset(to state: State, file: StaticString = #fileID, line: UInt = #line) -> Self {
    .set({ $0 = state }, file: file, line: line)
  }
}
