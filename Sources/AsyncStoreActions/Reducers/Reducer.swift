import AsyncStore

/// A function that changes a state by an action, as a value.
///
/// Use it to combine several functions, and to pull one back to a part of a state.
///
/// A model's `update` as a reducer is ``Model/reducer``; a model's `update` may also be made of several:
///
/// ```swift
/// struct Meter: Sendable { var level = 0, changes = 0 }
/// let level = Reducer<Meter, Int, Void> { meter, delta in meter.level += delta; return .none }
/// let changes = Reducer<Meter, Int, Void> { meter, _ in meter.changes += 1; return .none }
/// var meter = Meter()
/// _ = (level + changes).reduce(&meter, 5)
/// // meter.level == 5
/// // meter.changes == 1
/// ```
///
/// **Isolation.** A reducer runs where it is called: as part of a model's `update` under the store's lock, where it
/// must not call the store.
public struct Reducer<State: Sendable, Action: Sendable, Environment: Sendable>: Sendable {
  /// The type of the effects that a reducer returns.
  public typealias Effect = AsyncStore<State, Environment>.Effect

  private let body: @Sendable (inout State, Action) -> Effect

  /// Creates a reducer from a function.
  public init(_ body: @escaping @Sendable (inout State, Action) -> Effect) { self.body = body }

  /// Creates a reducer that runs others, from left to right, on the state that those before it have left; their effects
  /// are merged.
  ///
  /// - Parameter reducers: any number; none changes nothing and returns `none`.
  public init(_ reducers: Reducer...) {
    self.init { state, action in
      var effects: [Effect] = []
      for reducer in reducers { effects.append(reducer.reduce(&state, action)) }
      return .merge(effects: effects)
    }
  }

  /// Changes the state by the action.
  ///
  /// - Returns: the effect that has to follow; nothing of it happens before a store receives it.
  public func reduce(_ state: inout State, _ action: Action) -> Effect { body(&state, action) }

  /// Returns a reducer that runs both, the left one first.
  public static func + (left: Reducer, right: Reducer) -> Reducer { Reducer(left, right) }
}

extension Model {
  /// The model's `update` as a value.
  public static var reducer: Reducer<Self, Action, Environment> { Reducer { update(&$0, $1) } }
}
