import AsyncStore

/// A state whose effects depend on an environment.
///
/// This protocol is separate from ``Model``, so that a model without dependencies does not have to say so.
public protocol EnvironmentDependent: Sendable {
  /// The dependencies of effects.
  associatedtype Environment: Sendable = Void
}

/// A state with a single function that changes it.
///
/// Conform a state to this protocol if all its changes should go through named actions, which can then be logged,
/// replayed, scoped and intercepted. A store of a model accepts actions with `send(_:isolation:)`; it also still
/// accepts effects.
///
/// ```swift
/// struct Tally: Model {
///   enum Action: Sendable { case increment, add(Int) }
///   var count = 0
///
///   static func update(_ state: inout Tally, _ action: Action) -> Effect {
///     switch action {
///     case .increment: state.count += 1
///     case .add(let number): state.count += number
///     }
///     return .none
///   }
/// }
///
/// let tally = StoreOf<Tally>(state: Tally(), env: ())
/// tally.send(.add(2))
/// // tally.count == 2
/// ```
///
/// A model is `Equatable`, so that a state that equals the previous one is not published.
public protocol Model: EnvironmentDependent, Equatable {
  /// The actions that change the state.
  associatedtype Action: Sendable
  /// Changes the state, and returns the effect to run next.
  ///
  /// The function is part of the commit: it runs under the store's lock, on the sending thread or, for a store that is
  /// bound to an actor, on that actor. It must not call the store. It also runs in a transaction's draft, and where an
  /// ``ActionLog`` computes a state, as in ``ActionLog/replay(_:)``: on the calling thread, where its effect is
  /// dropped. Work that takes time, or has side effects, belongs in the effect; `.task` passes it the environment, and
  /// `send(_:file:line:)` sends the next action.
  static func update(_ state: inout Self, _ action: Action) -> AsyncStore<Self, Environment>.Effect

  /// Makes the first change of a store; see `prepare(isolation:)`.
  ///
  /// The default implementation does nothing.
  static func prepare(_ state: inout Self) -> AsyncStore<Self, Environment>.Effect
}

extension Model {
  /// The type of the effects that ``update(_:_:)`` returns.
  public typealias Effect = AsyncStore<Self, Environment>.Effect

  /// Does nothing.
  public static func prepare(_ state: inout Self) -> Effect { .none }
}

/// The store of a model.
public typealias StoreOf<State: Model> = AsyncStore<State, State.Environment>
