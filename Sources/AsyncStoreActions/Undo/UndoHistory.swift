import AsyncStore

/// A history that undoes and redoes changes of a part of a store's state.
///
/// Every commit that changes the part is a step, whatever made it and whether observers are notified of it or not; the
/// commits of a group are one step together. A transaction is one commit, and so one step.
///
/// ```swift
/// let history = store.undoHistory(of: \.items)
/// store.receive(.append("one", to: \.items))
/// history.group {
///   store.receive(.append("two", to: \.items))
///   store.receive(.append("three", to: \.items))
/// }
/// history.undo()
/// // store.items == ["one"]
/// history.redo()
/// // store.items == ["one", "two", "three"]
/// ```
///
/// - Warning: An invariant between the part and the rest of the state is not kept: the part gets its old value, and
///   nothing else changes. No action is sent and no middleware runs. Create a history of a part that contains
///   everything that belongs together.
///
/// The history keeps the values of the part, not the store. Undoing is a commit like any other. Effects in flight
/// continue. The history continues when the store is deactivated and activated again.
///
/// **Isolation.** Safe from any thread, but not from a mutation of the store. For a store that is bound to an actor, a
/// call on that actor undoes or redoes a step before it returns; a call from elsewhere does so in a turn on the actor:
/// wait for the handle.
public final class UndoHistory<Value: Equatable & Sendable>: Sendable {
  private let source: any UndoSource<Value>

  fileprivate init(_ source: some UndoSource<Value>) { self.source = source }

  deinit { source.end() }

  /// The number of steps that can be undone.
  ///
  /// A group that has not ended counts while the value differs from that at the group's beginning, because
  /// ``undo(isolation:)`` would undo the difference. 0 if the store is gone.
  public var undoCount: Int { source.withSteps { $0.undoCount } ?? 0 }
  /// The number of undone steps that can be redone.
  ///
  /// 0 if the store is gone.
  public var redoCount: Int { source.withSteps { $0.future.count } ?? 0 }
  /// True if a step can be undone.
  public var canUndo: Bool { undoCount > 0 }
  /// True if an undone step can be redone.
  public var canRedo: Bool { redoCount > 0 }

  /// Undoes the last step; does nothing if there is none.
  ///
  /// A group that has not ended is ended first: later changes in it are another step.
  ///
  /// - Parameter isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the commit; its outcome is `inactive` if the store is not active, or gone, and
  ///   nothing has happened.
  @discardableResult
  public func undo(isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.travel({ $0.undo() }, isolation: isolation)
  }

  /// Redoes the step that was undone last; does nothing if there is none.
  ///
  /// A change of the part makes this impossible. For the rest see ``undo(isolation:)``.
  @discardableResult
  public func redo(isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.travel({ $0.redo() }, isolation: isolation)
  }

  /// Forgets all steps.
  ///
  /// In a group that has not ended, the changes so far are forgotten; the group continues.
  public func clear() { source.withSteps { $0.clear() } }

  /// Begins a group: all changes until ``endGroup()`` are one step.
  ///
  /// Groups may be nested; the outermost counts. Until it ends, a group includes every commit, whoever makes it. A
  /// group that leaves the part unchanged is not a step.
  public func beginGroup() { source.withSteps { $0.beginGroup() } }

  /// Ends the group that ``beginGroup()`` began; does nothing if none was begun.
  public func endGroup() { source.withSteps { $0.endGroup() } }

  /// Combines all changes during a function into one step.
  ///
  /// This is a group, which also ends if the function throws. Changes that the function began and that are committed
  /// later are not part of it.
  ///
  /// - Parameter body: runs before this returns, under no lock.
  /// - Throws: the error of `body`; the changes stay.
  @discardableResult
  public func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginGroup()
    defer { endGroup() }
    return try body()
  }

  /// Combines all changes during an asynchronous function into one step.
  ///
  /// For the rest see the synchronous `group`.
  ///
  /// **Cancellation** of the calling task is left to the function; the group ends when the function has returned or
  /// thrown.
  ///
  /// - Parameters:
  ///   - isolation: the caller's isolation; leave it to the compiler.
  ///   - body: runs in the caller's isolation.
  @discardableResult
  public func group<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    beginGroup()
    defer { endGroup() }
    return try await body()
  }
}

extension AsyncStore {
  /// Begins to record the values of a part of the state, for undoing its changes.
  ///
  /// - Parameters:
  ///   - keyPath: the part; `\.self` is the whole state. It is read and compared under the store's lock. A key path
  ///     that may trap in a later state, with a `!` or an index, has no history: no step is ever recorded.
  ///   - limit: the maximum number of recorded steps, at least 1, otherwise traps. 100 by default. Beyond it, the
  ///     oldest is forgotten.
  /// - Returns: the history, which ends when it is released.
  /// - Complexity: a comparison of the part at each commit; at the limit, each step is linear in it.
  public func undoHistory<Value: Equatable & Sendable>(
    of keyPath: WritableKeyPath<State, Value> & Sendable, limit: Int = 100
  ) -> UndoHistory<Value> {
    undoHistory(of: Part(keyPath), limit: limit)
  }

  /// Begins to record the values of a part of the state that may be missing, for undoing its changes.
  ///
  /// The arrival or removal of the part is not a step. While the part is missing, undo does nothing.
  ///
  /// The other rules are those for a key path.
  public func undoHistory<Value: Equatable & Sendable>(
    of part: Part<State, Value>, limit: Int = 100
  ) -> UndoHistory<Value> {
    trap(unless: limit > 0, "A history's limit must be at least 1, not \(limit).")
    let listener = UndoListener(part.isTotal ? part.get : { _ in nil }, UndoSteps(limit: limit))
    let subscription = listen(listener, isPermanent: true, start: listener.start)
    return UndoHistory(UndoPart(store: self, part: part, listener: listener, subscription: subscription))
  }
}
