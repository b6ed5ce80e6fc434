extension AsyncStore {
  /// Has `body` called with the state now and after each commit, as long as the store lives.
  ///
  /// It is called under the store's lock, and must not call the store.
  package func watchCommits(_ body: @escaping @Sendable (State) -> Void) {
    _ = runtime.attach(CommitWatcher(body))
  }
}

/// `@unchecked` for the reason of ``CommitObserver``; its own part is a constant.
private final class CommitWatcher<State: Sendable>: CommitObserver, @unchecked Sendable {
  private let body: @Sendable (State) -> Void

  init(_ body: @escaping @Sendable (State) -> Void) { self.body = body }

  override var endsWithActivity: Bool { false }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    body(state.assumingMemoryBound(to: State.self).pointee)
    return false
  }
}
