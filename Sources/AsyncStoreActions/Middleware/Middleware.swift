import AsyncStore

/// A step between the senders of actions and the model, which may change an action, stop it, or add an effect to it.
///
/// A store's middleware runs from left to right; each step receives the action that the previous one passed on. The
/// action that the last one passes on reaches the model.
///
/// ```swift
/// let clamp = Middleware<Tally> { _, action in
///   if case .add(let number) = action { number < 0 ? nil : .add(min(number, 10)) } else { action }
/// }
/// let tally = StoreOf<Tally>(state: Tally(), env: (), middleware: [clamp])
/// tally.send([.add(-1), .add(100)])
/// // tally.count == 10
/// ```
///
/// **Isolation.** The decision is part of the commit, so that nothing can come in between: its closure runs where the
/// model's `update` runs, under the store's lock, and must not call the store. For an action that a transaction sends,
/// it runs twice: for the draft, under the draft's lock, and for the commit. Replaying a log does not run it. For code
/// that only watches actions, use ``observing(_:)``, which is called after the commit, under no lock, in the order of
/// the commits.
public struct Middleware<State: Model>: Sendable {
  let intercept: @Sendable (State, State.Action) -> State.Action?
  let effect: (@Sendable (State, State.Action) -> State.Effect)?
  let observe: (@Sendable (CommittedAction<State>) -> Void)?
  /// Called when a transaction begins; the closure that it returns is called with the transaction's outcome.
  let watch: (@Sendable (TransactionRun) -> @Sendable (TransactionStatus) -> Void)?

  init(
    intercept: @escaping @Sendable (State, State.Action) -> State.Action? = { $1 },
    effect: (@Sendable (State, State.Action) -> State.Effect)? = nil,
    observe: (@Sendable (CommittedAction<State>) -> Void)? = nil,
    watch: (@Sendable (TransactionRun) -> @Sendable (TransactionStatus) -> Void)? = nil
  ) {
    self.intercept = intercept
    self.effect = effect
    self.observe = observe
    self.watch = watch
  }

  /// Creates middleware that may change or stop actions.
  ///
  /// - Parameter intercept: called with the state before the action. Returns the action to pass on, or `nil` to stop
  ///   it. Runs under the store's lock, or the lock of a transaction's draft.
  public init(_ intercept: @escaping @Sendable (State, State.Action) -> State.Action?) {
    self.init(intercept: intercept, effect: nil)
  }

  /// Creates middleware that adds an effect of its own to each action; the effect is merged with the model's.
  ///
  /// The effect begins even if middleware to the right stops the action.
  ///
  /// - Parameter handler: called with the state before the action, and the action that the middleware to the left
  ///   passed on. Runs under the store's lock.
  public static func handling(_ handler: @escaping @Sendable (State, State.Action) -> State.Effect) -> Self {
    Middleware(effect: handler)
  }

  /// Creates middleware that calls `observer` after each action's commit.
  ///
  /// The observer receives the action, and the states before and after it, which cost a copy of the parts that the
  /// action changes. It is not notified of actions that middleware stopped or that a transaction rolled back. If
  /// several actions are one commit, it is notified of each, with the states between them.
  ///
  /// - Parameter observer: runs under no lock, one call at a time, in the order of the commits; it may call the store.
  ///   It runs on the thread that notifies the store's observers, on the store's actor if it has one.
  public static func observing(_ observer: @escaping @Sendable (CommittedAction<State>) -> Void) -> Self {
    Middleware(observe: observer)
  }

  /// Creates middleware that prints each action after its commit.
  ///
  /// - Parameters:
  ///   - isIncluded: returns whether to print an action; by default all are printed.
  ///   - output: called with each line; by default prints it. Both run like the function of ``observing(_:)``.
  public static func printing(
    where isIncluded: @escaping @Sendable (State.Action) -> Bool = { _ in true },
    to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> Self {
    .observing { committed in if isIncluded(committed.action) { output(String(describing: committed.action)) } }
  }
}

/// An action that has been committed.
public struct CommittedAction<State: Model>: Sendable {
  /// The action that reached the model.
  public let action: State.Action
  /// The state before the action.
  public let before: State
  /// The state after the action.
  public let after: State
}

extension CommittedAction: Equatable where State.Action: Equatable {}

extension AsyncStore where State: Model, Env == State.Environment {
  /// Adds middleware to the right of the store's.
  ///
  /// The middleware runs from the next action on, and stays even when the store is deactivated and activated again.
  /// Safe from any thread, but not from a mutation of the store.
  ///
  /// - Returns: an installation that removes it; it may be dropped.
  @discardableResult
  public func install(_ middleware: Middleware<State>...) -> MiddlewareInstallation { install(middleware) }

  /// Adds the middleware of a list to the right of the store's.
  ///
  /// - Parameter middleware: from left to right; an empty list changes nothing.
  /// - Returns: an installation that removes all of it; it may be dropped.
  @discardableResult
  public func install(_ middleware: [Middleware<State>]) -> MiddlewareInstallation {
    if middleware.isEmpty { return MiddlewareInstallation {} }
    let hub = hub
    let key = withAssociatedObject { _, _ in hub.install(middleware) }
    // This closure releases the removed middleware, after the lock.
    return MiddlewareInstallation { [weak self] in
      guard let self else { return }
      withExtendedLifetime(withAssociatedObject { _, _ in hub.remove(key) }) {}
    }
  }
}

/// Middleware that has been added to a store.
///
/// ```swift
/// let tally = StoreOf<Tally>(state: Tally(), env: ())
/// let stop = tally.install(Middleware { _, _ in nil })
/// tally.send(.increment)
/// stop.remove()
/// tally.send(.increment)
/// // tally.count == 1
/// ```
///
/// The installation does not keep the store alive.
public struct MiddlewareInstallation: Sendable {
  fileprivate let end: @Sendable () -> Void

  fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  /// Removes the middleware from its store.
  ///
  /// From the next action on, it does not run. It is still notified of earlier commits, and of transactions that had
  /// already begun. A second call does nothing. Safe from any thread, but not from a mutation of the store.
  public func remove() { end() }
}
