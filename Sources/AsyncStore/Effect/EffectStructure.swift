extension AsyncStore.Effect {
  /// The kind of an effect, with its durations, identifiers and labels, and the effects inside it.
  ///
  /// Tests and tools switch over it. It contains neither closures nor the effects that they return.
  public enum Structure: Sendable {
    /// Does nothing.
    case none
    /// Changes the state.
    case set
    /// Continues with an effect computed from the state.
    case read
    /// Changes the state and continues with an effect computed from it.
    case update
    /// Runs an operation.
    case task
    /// Runs an operation, and retries it when it fails.
    case retryingTask(RetrySchedule)
    /// Interprets an effect in another store.
    case lift(to: AnyAsyncStore)
    /// Waits.
    case sleep(Duration)
    /// Interprets an effect at regular intervals.
    case timer(Duration)
    /// Interprets an effect for each element of a sequence.
    case stream(StreamStrategy)
    /// Interprets an effect for each value of a store's property.
    case binding(StreamStrategy)
    /// Cancels everything in flight under identifiers.
    case cancel(Target)
    /// Waits for everything in flight under identifiers.
    case join(Target)
    /// Runs effects concurrently.
    case merge([AsyncStore.Effect], limit: Int)
    /// Runs effects one after the other.
    case concatenate([AsyncStore.Effect])
    /// Runs effects one after the other, and ends at the first that fails.
    case sequence([AsyncStore.Effect])
    /// Runs effects concurrently until one of them wins.
    case race([AsyncStore.Effect], goal: RaceGoal)
    /// Gives an effect an identifier.
    case id(AsyncStore.Effect, EffectID, policy: IdentifierPolicy)
    /// Runs an effect once its identifier has been quiet for a time.
    case debounce(AsyncStore.Effect, for: Duration, id: EffectID)
    /// Runs an effect at most once in a window of time.
    case throttle(AsyncStore.Effect, for: Duration, id: EffectID, edges: ThrottleEdges)
    /// Gives an effect a label.
    case label(AsyncStore.Effect, String)
    /// Cancels an effect that takes too long.
    case timeout(AsyncStore.Effect, Duration, else: AsyncStore.Effect)
    /// Tries an effect again when it fails.
    case retry(AsyncStore.Effect, RetrySchedule)
    /// Handles an effect's errors.
    case recover(AsyncStore.Effect)
    /// Runs an effect after another one, however that one ended.
    case finally(AsyncStore.Effect, cleanup: AsyncStore.Effect)
    /// Declares what undoes an effect.
    case compensated(AsyncStore.Effect, by: AsyncStore.Effect)

    /// The identifiers that a cancel or a join names.
    public enum Target: Hashable, Sendable {
      /// The identifiers themselves.
      case ids([EffectID])
      /// An identifier and everything under it.
      case prefix(EffectID)
      /// Everything in flight.
      case all
    }
  }
}
