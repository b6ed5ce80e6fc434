import AsyncStore

/// The content of a draft: a whole state, or a part of another draft.
protocol DraftContent<State, Env>: Sendable {
  associatedtype State: Sendable
  associatedtype Env: Sendable

  /// The whole state; not compared at the end.
  var current: State { get }
  /// The whole state; compared at the end, so that any change by others is a conflict.
  var whole: State { get }
  /// - Parameter name: the name of the property that is read, if it has one. A property that is read twice is compared
  ///   once.
  func read<Value: Equatable & Sendable>(
    _ name: ReadName?, _ body: @escaping @Sendable (State) -> Value
  ) -> Value
  func change(_ change: @escaping @Sendable (inout State) throws -> Void) throws
  func send(_ action: any Sendable, _ drafted: DraftedAction<State, Env>)
}

/// The name of a property that is read.
///
/// `@unchecked` because `AnyKeyPath` is not `Sendable`; the key path here has to be.
struct ReadName: Hashable, @unchecked Sendable {
  private let keyPath: AnyKeyPath

  init(_ keyPath: any AnyKeyPath & Sendable) { self.keyPath = keyPath }
}

/// An action's effect on a draft, and on the state at the commit.
struct DraftedAction<State: Sendable, Env: Sendable>: Sendable {
  /// Changes the draft; the second argument is the middleware at the time when the operation began.
  let draft: @Sendable (inout State, (any Sendable)?) -> Void
  let commit: @Sendable (inout AsyncStore<State, Env>.OngoingCommit, inout State) -> AsyncStore<State, Env>.Effect
}

extension DraftedAction where State: Model, Env == State.Environment {
  init(_ action: State.Action) {
    self.init { state, middleware in
      var action = action
      for step in middleware as? [Middleware<State>] ?? [] {
        guard let next = step.intercept(state, action) else { return }
        action = next
      }
      _ = State.update(&state, action)
    } commit: {
      $0.update(&$1, action)
    }
  }
}
