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
    store?.withState { _ in body(listener.steps) }
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
final class UndoListener<State: Sendable, Value: Equatable & Sendable>: CommitListener {
  let get: @Sendable (State) -> Value?
  let steps: UndoSteps<Value>

  init(_ get: @escaping @Sendable (State) -> Value?, _ steps: UndoSteps<Value>) {
    self.get = get
    self.steps = steps
  }

  func start(_ state: State) { _ = committed(state) }

  func committed(_ state: State) -> Bool {
    steps.take(get(state))
    return false
  }

  func committedSilently(_ state: State) -> Bool { committed(state) }

  func deliver() {}
}
