extension AsyncStore.Effect {
  /// Interprets one effect for each element of a sequence as it arrives.
  ///
  /// The effect is detached: nobody waits for it. It ends with the sequence, or when a scope around it is cancelled.
  ///
  /// **Cancellation** cancels the task that iterates the sequence, and the effects of its elements. The stream ends
  /// without an error.
  ///
  /// - Parameters:
  ///   - sequence: iterated in a task of its own. An error that it throws goes to the nearest
  ///     ``recover(_:file:line:)``, or else to the store's `mapError`; it ends no attempt of a retry, no race and no
  ///     sequence of effects.
  ///   - strategy: the rule for effects of earlier elements that are still in flight; by default they continue.
  ///   - mapEffect: runs in that task, not under the store's lock.
  public static func stream<Elements: AsyncSequence & Sendable>(
    _ sequence: Elements, strategy: StreamStrategy = .each, file: StaticString = #fileID, line: UInt = #line,
    mapEffect: @escaping @Sendable (Elements.Element) -> Self
  ) -> Self {
    let iteration: AsyncStore.ClosureNode.Iteration = { hasEnded, emit in
      var count = 0
      for try await element in sequence {
        // Other tasks of the executor get a turn, because a sequence that always has an element never suspends.
        count &+= 1
        if count & 63 == 0 { await Task.yield() }
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
        guard !hasEnded(), emit(mapEffect(element)) else { return }
      }
    }
    return .node(.source(strategy.source), .sequence(iteration), file, line)
  }
}
