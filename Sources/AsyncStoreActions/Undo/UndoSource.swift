/// The source of a history's values, without the type of the whole.
protocol UndoSource<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// Calls `body` with the steps under the store's lock, or returns `nil` if the store is gone.
  func withSteps<Result>(_ body: (UndoSteps<Value>) -> Result) -> Result?
  func travel(_ take: @escaping @Sendable (UndoSteps<Value>) -> Value?, isolation: isolated (any Actor)?)
    -> EffectHandle
  func end()
}

struct UndoPart<State: Sendable, Env: Sendable, Value: Equatable & Sendable>: UndoSource {
  weak let store: AsyncStore<State, Env>?
  let part: Part<State, Value>
  let listener: UndoListener<State, Value>
  let listening: AsyncStore<State, Env>.Listening

  func withSteps<Result>(_ body: (UndoSteps<Value>) -> Result) -> Result? {
    // What has been given up is taken out too, and released after the lock.
    store?.withState { _ in (body(listener.steps), listener.steps.released.take()) }.0
  }

  func travel(
    _ take: @escaping @Sendable (UndoSteps<Value>) -> Value?, isolation: isolated (any Actor)?
  ) -> EffectHandle {
    guard let store else { return .ofNothing }
    return store.receive(
      .set { [part, listener] state in
        guard listener.get(state) != nil, let value = take(listener.steps) else { return }
        part.change(&state) { $0 = value }
      }, isolation: isolation)
  }

  func end() { listening.end() }
}

/// Remembers the values of a part.
///
/// What it has to deliver is only what its steps have given up, which is released then.
///
/// `@unchecked`: `given` is written while the store is locked, and after it by the one thread that delivers for the
/// store, which alone calls `prepare`. The rest is constants.
final class UndoListener<State: Sendable, Value: Equatable & Sendable>: CommitListener, @unchecked Sendable {
  let get: @Sendable (State) -> Value?
  let steps: UndoSteps<Value>
  private var given = ReleasedValues()

  init(_ get: @escaping @Sendable (State) -> Value?, _ steps: UndoSteps<Value>) {
    self.get = get
    self.steps = steps
  }

  func start(_ state: State) { _ = committed(state) }

  func committed(_ state: State) -> Bool {
    steps.take(get(state))
    return !steps.released.isEmpty
  }

  func committedSilently(_ state: State) -> Bool { committed(state) }

  func prepare() { given.append(contentsOf: steps.released.take()) }
  func deliver() { given = ReleasedValues() }
}
