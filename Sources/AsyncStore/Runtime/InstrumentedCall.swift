extension AsyncStore {
  /// The call of an operation that the store's instrument runs.
  final class InstrumentedCall: OperationCall {
    private enum Progress { case ready, called, over }

    private let run: Run
    private var operation: Operation
    private var progress = Progress.ready
    private var result: (effect: Effect, failure: (any Error)?) = (.none, nil)
    private(set) var outcome = EffectOutcome.finished

    init(of operation: Operation, for run: Run) { (self.operation, self.run) = (operation, run) }

    nonisolated(nonsending) func perform() async -> EffectOutcome {
      trap(
        unless: progress == .ready,
        "An instrument has called the body of `wrapOperation` again, or too late. Call it exactly once.")
      progress = .called
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      outcome = await call()
      return outcome
    }

    private nonisolated(nonsending) func call() async -> EffectOutcome {
      // The instrument may have waited, and the cancel may have arrived meanwhile.
      guard !run.isCancelled else { return .cancelled }
      do {
        result.effect = try await AsyncStore.call(operation, for: run)
        return run.isCancelled ? .cancelled : .finished
      } catch {
        result.failure = error
        return run.isCancelled ? .cancelled : .failed(error)
      }
    }

    /// Ends the call, which keeps nothing of the operation, even if the instrument has kept its body.
    ///
    /// - Returns: what the operation has returned or thrown.
    func end() -> (Effect, (any Error)?) {
      trap(
        unless: progress == .called, "An instrument has not called the body of `wrapOperation`. Call it exactly once.")
      progress = .over
      defer { (operation, result, outcome) = (.none, (.none, nil), .finished) }
      return result
    }
  }
}
