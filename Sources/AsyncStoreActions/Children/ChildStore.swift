import AsyncStore

/// A part of a store that is used like a separate store, with shared storage.
///
/// The child's effects change the parent, and the child sees all changes of the parent; nothing is copied, so nothing
/// has to be kept in sync.
///
/// ```swift
/// let items = store.child(\.items)
/// items.receive(.append("one", to: \.self))
/// store.receive(.append("two", to: \.items))
/// // items.state == ["one", "two"]
/// // items.ancestor(of: Counter.self)?.count == 0
/// ```
///
/// A child holds its store. If the part is missing, reading returns `nil` and changes do nothing. For a part with
/// actions of its own, use ``Scope``.
///
/// **Isolation.** Safe from any thread, but not from a mutation of the store. A change happens where and when a change
/// by the store's `receive(_:isolation:)` does.
@dynamicMemberLookup
public struct ChildStore<State: Sendable, Env: Sendable>: Sendable {
  /// The type of effects of the part.
  public typealias Effect = AsyncStore<State, Env>.Effect

  let source: any ChildSource<State, Env>
  /// The ancestors, from the root down.
  let ancestors: [any Sendable]

  /// The current part; `nil` if it is missing.
  ///
  /// This is a copy. Observation does not track it; Observation does track the `state` of a ``Scope``.
  public var state: State? { source.value(Part(\.self)) }

  /// A property of the current part; `nil` if the part is missing.
  ///
  /// Observation does not track it.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value? {
    source.value(Part(reading: keyPath))
  }

  /// Interprets an effect of the part in its store; the two share identifiers.
  ///
  /// Operations run even while the part is missing. An effect that sends an action traps when it is reached.
  ///
  /// - Parameters:
  ///   - effect: the effect of the part.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the effect or cancelling it. If the store is not active, its outcome is
  ///   `inactive` and nothing has happened. It may be dropped.
  /// - Complexity: that of the effect, and linear in the number of its nodes.
  @discardableResult
  public func receive(_ effect: Effect, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.receive(effect, isolation: isolation)
  }

  /// Interprets an effect of the part and waits until everything attached to it has settled.
  ///
  /// Cancelling the calling task cancels the effect, including detached parts, and returns once its operations have
  /// returned and its cleanups have settled. For the rest see ``receive(_:isolation:)``.
  ///
  /// - Returns: the outcome of the effect.
  @discardableResult
  public nonisolated(nonsending) func run(_ effect: Effect) async -> EffectOutcome {
    await source.run(effect)
  }

  /// Begins a transaction on the part.
  ///
  /// The transaction belongs to the store, and conflicts with the store's other transactions only if they change what
  /// it reads; identifiers are those of the store. If the part is missing, it fails with a ``TransactionError`` with
  /// the code `missing`. An action that it sends traps.
  ///
  /// The parameters and the result are those of the store's `begin(_:id:pacing:after:isolation:file:line:)`.
  @discardableResult
  public func begin(
    _ transaction: StateTransaction<State, Env>, id: (any Hashable & Sendable)? = nil,
    pacing: TransactionPacing = .replace, after runs: [TransactionRun] = [],
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> TransactionRun {
    source.begin(
      transaction, id: id, pacing: pacing, after: runs, isolation: isolation, file: file, line: line)
  }

  /// Maps each change that a commit makes to the part.
  package func changes<Output: Sendable>(
    _ make: @escaping @Sendable (PartChange<State>) -> Output?
  ) -> AsyncStream<Output> where State: Equatable {
    source.changes(Part(\.self), make)
  }

  /// Returns a child store of a part of this part.
  public func child<Value: Sendable>(_ part: Part<State, Value>) -> ChildStore<Value, Env> {
    ChildStore<Value, Env>(source: source.child(part), ancestors: ancestors + [self])
  }

  /// Returns a child store of a property of this part.
  public func child<Value: Sendable>(_ keyPath: WritableKeyPath<State, Value> & Sendable) -> ChildStore<Value, Env> {
    child(Part(keyPath))
  }

  /// Returns the nearest ancestor whose state has the given type.
  ///
  /// - Parameter type: the type of the ancestor's state; the store's own state counts too.
  /// - Returns: the ancestor, or `nil` if there is none.
  /// - Complexity: linear in the depth of this part.
  public func ancestor<Ancestor>(of type: Ancestor.Type) -> ChildStore<Ancestor, Env>? {
    ancestors.lazy.reversed().compactMap { $0 as? ChildStore<Ancestor, Env> }.first
  }
}

extension ChildStore where State: Equatable {
  /// Returns the values of the part: the current one first, then each that differs from the previous one; `nil` while
  /// the part is missing.
  ///
  /// Reading begins at once. The sequence ends when the store is deactivated or goes away, and when the reading task is
  /// cancelled. It is for one reader; values wait for a slow reader without a limit.
  public func values() -> AsyncStream<State?> { source.values(Part(\.self)) }

  /// Begins to record the values of the part, for undo and redo.
  ///
  /// The arrival or removal of the part is not a step. While the part is missing, undo does nothing.
  ///
  /// - Parameter limit: the maximum number of steps, at least 1, otherwise traps. Beyond it, the oldest is forgotten.
  /// - Returns: the history, which ends when it is released. It does not hold the store.
  public func undoHistory(limit: Int = 100) -> UndoHistory<State> { source.undoHistory(Part(\.self), limit: limit) }
}

extension AsyncStore {
  /// Returns a child store of a part of the state.
  public func child<Value: Sendable>(_ part: Part<State, Value>) -> ChildStore<Value, Env> {
    let whole = Part<State, State>(\.self)
    let root = ChildStore<State, Env>(source: SharedPart(store: self, part: whole), ancestors: [])
    return root.child(part)
  }

  /// Returns a child store of a property of the state.
  public func child<Value: Sendable>(_ keyPath: WritableKeyPath<State, Value> & Sendable) -> ChildStore<Value, Env> {
    child(Part(keyPath))
  }

  /// Returns a child store of an element of a collection.
  public func child<Elements: Keyed & Sendable>(
    _ keyPath: WritableKeyPath<State, Elements> & Sendable, key: Elements.Key
  ) -> ChildStore<Elements.Value, Env> where Elements.Key: Sendable, Elements.Value: Sendable {
    child(Part(keyPath, key: key))
  }
}

/// The owner of a child store's part, without the type of the whole.
protocol ChildSource<State, Env>: Sendable {
  associatedtype State: Sendable
  associatedtype Env: Sendable

  func value<Value: Sendable>(_ part: Part<State, Value>) -> Value?
  func receive(_ effect: AsyncStore<State, Env>.Effect, isolation: isolated (any Actor)?) -> EffectHandle
  nonisolated(nonsending) func run(_ effect: AsyncStore<State, Env>.Effect) async -> EffectOutcome
  func begin(
    _ transaction: StateTransaction<State, Env>, id: (any Hashable & Sendable)?, pacing: TransactionPacing,
    after runs: [TransactionRun], isolation: isolated (any Actor)?, file: StaticString, line: UInt
  ) -> TransactionRun
  func child<Value: Sendable>(_ part: Part<State, Value>) -> any ChildSource<Value, Env>
  func values<Value: Sendable & Equatable>(_ part: Part<State, Value>) -> AsyncStream<Value?>
  func changes<Value: Sendable & Equatable, Output: Sendable>(
    _ part: Part<State, Value>, _ make: @escaping @Sendable (PartChange<Value>) -> Output?
  ) -> AsyncStream<Output>
  func undoHistory<Value: Sendable & Equatable>(_ part: Part<State, Value>, limit: Int) -> UndoHistory<Value>
}

private struct SharedPart<Whole: Sendable, State: Sendable, Env: Sendable>: ChildSource {
  let store: AsyncStore<Whole, Env>
  let part: Part<Whole, State>

  func value<Value: Sendable>(_ inner: Part<State, Value>) -> Value? {
    let part = part.appending(inner)
    return store.withState { part.get($0) }
  }

  func receive(_ effect: AsyncStore<State, Env>.Effect, isolation: isolated (any Actor)?) -> EffectHandle {
    store.receive(embedded(effect), isolation: isolation)
  }

  nonisolated(nonsending) func run(_ effect: AsyncStore<State, Env>.Effect) async -> EffectOutcome {
    await store.run(embedded(effect))
  }

  private func embedded(_ effect: AsyncStore<State, Env>.Effect) -> AsyncStore<Whole, Env>.Effect {
    let embed = EffectEmbedding<Whole, Env, State, Env>(
      get: part.get, modify: part.change, environment: { $0 },
      send: { message in
        guard let message = message as? TransactionMessage<State, Env> else {
          fatalError("\(message) was sent in a child store, which takes no actions. Send it to a scope.")
        }
        return message.embedded(in: part, environment: { $0 }, TransactionEmbedding())
      }, prefix: nil)
    return embed(effect)
  }

  func begin(
    _ transaction: StateTransaction<State, Env>, id: (any Hashable & Sendable)?, pacing: TransactionPacing,
    after runs: [TransactionRun], isolation: isolated (any Actor)?, file: StaticString, line: UInt
  ) -> TransactionRun {
    store.begin(
      transaction.embedded(in: part, environment: { $0 }, TransactionEmbedding()), id: id, pacing: pacing, after: runs,
      isolation: isolation, file: file, line: line)
  }

  func child<Value: Sendable>(_ inner: Part<State, Value>) -> any ChildSource<Value, Env> {
    SharedPart<Whole, Value, Env>(store: store, part: part.appending(inner))
  }

  func values<Value: Sendable & Equatable>(_ inner: Part<State, Value>) -> AsyncStream<Value?> {
    store.values(of: part.appending(inner))
  }

  func changes<Value: Sendable & Equatable, Output: Sendable>(
    _ inner: Part<State, Value>, _ make: @escaping @Sendable (PartChange<Value>) -> Output?
  ) -> AsyncStream<Output> {
    store.changes(of: part.appending(inner), make)
  }

  func undoHistory<Value: Sendable & Equatable>(_ inner: Part<State, Value>, limit: Int) -> UndoHistory<Value> {
    store.undoHistory(of: part.appending(inner), limit: limit)
  }
}
