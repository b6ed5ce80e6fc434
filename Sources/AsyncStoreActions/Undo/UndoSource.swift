import AsyncStore
import Synchronization

/// The source of a history's values, without the type of the whole.
protocol UndoSource<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// Calls `body` with the steps under the store's lock; returns `nil` if the store is gone.
  func withSteps<Result>(_ body: (UndoSteps<Value>) -> Result) -> Result?
  func travel(_ take: @escaping @Sendable (UndoSteps<Value>) -> Value?, isolation: isolated (any Actor)?)
    -> EffectHandle
  func end()
}

struct UndoPart<State: Sendable, Env: Sendable, Value: Equatable & Sendable>: UndoSource {
  weak let store: AsyncStore<State, Env>?
  let part: Part<State, Value>
  let listener: UndoListener<State, Value>
  let subscription: AsyncStore<State, Env>.Subscription

  func withSteps<Result>(_ body: (UndoSteps<Value>) -> Result) -> Result? {
    // Values that were given up are taken out too, to be released after the lock.
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
        listener.steps.arrive(at: listener.get(state))
      }, isolation: isolation)
  }

  func end() { subscription.end() }
}

/// Records the values of a part.
///
/// The listener delivers only the values that its steps have given up, to release them after the store's lock.
final class UndoListener<State: Sendable, Value: Equatable & Sendable>: CommitListener {
  let get: @Sendable (State) -> Value?
  let steps: UndoSteps<Value>
  private let released = Mutex(ReleasedValues())

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

  func prepare() {
    let values = steps.released.take()
    released.withLock { $0.append(contentsOf: values) }
  }

  func deliver() { withExtendedLifetime(released.withLock { $0.take() }) {} }
}
