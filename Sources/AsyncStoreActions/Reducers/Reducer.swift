import AsyncStore

/// A function that changes a state with an action, as a value.
///
/// Use it to combine several functions, or to pull one back to a part of a state.
///
/// ``Model/reducer`` is a model's `update` as a reducer; a model's `update` may also be composed of several reducers:
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

  /// Creates a reducer that runs others, from left to right, each on the state that the previous ones have left; their
  /// effects are merged.
  ///
  /// - Parameter reducers: any number; an empty list changes nothing and returns `none`.
  public init(_ reducers: Reducer...) {
    self.init { state, action in
      var effects: [Effect] = []
      for reducer in reducers { effects.append(reducer.reduce(&state, action)) }
      return .merge(effects: effects)
    }
  }

  /// Changes the state with the action.
  ///
  /// - Returns: the effect to run next; no part of it runs before a store receives it.
  public func reduce(_ state: inout State, _ action: Action) -> Effect { body(&state, action) }

  /// Returns a reducer that runs both, the left one first.
  public static func + (left: Reducer, right: Reducer) -> Reducer { Reducer(left, right) }
}

extension Model {
  /// The model's `update` as a value.
  public static var reducer: Reducer<Self, Action, Environment> { Reducer { update(&$0, $1) } }
}
