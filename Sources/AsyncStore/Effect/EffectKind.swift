/// The kind of an effect.
///
/// These are all the kinds; other effects are composed of them.
public enum EffectKind: String, Hashable, Sendable, CaseIterable {
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
  /// Interprets an effect in another store.
  case lift
  /// Waits.
  case sleep
  /// Interprets an effect at regular intervals.
  case timer
  /// Interprets an effect for each element of a sequence.
  case stream
  /// Interprets an effect for each value of a store's property.
  case binding
  /// Cancels everything in flight under an identifier.
  case cancel
  /// Waits for everything in flight under an identifier.
  case join
  /// Runs effects concurrently.
  case merge
  /// Runs effects one after the other.
  case concatenate
  /// Runs effects concurrently until one of them wins.
  case race
  /// Gives an effect an identifier.
  case id
  /// Runs an effect at most once in a window of time.
  case throttle
  /// Gives an effect a label.
  case label
  /// Cancels an effect that takes too long.
  case timeout
  /// Tries an effect again when it fails.
  case retry
  /// Handles an effect's errors.
  case recover
  /// Runs an effect after another one, however that one ended.
  case finally
  /// Runs effects one after the other, and ends at the first that fails.
  case sequence
  /// Declares what undoes an effect.
  case compensate
}
