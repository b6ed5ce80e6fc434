/// The rule for an effect that starts under an identifier that is already in flight.
enum ScopePolicy: Hashable, Sendable {
  case replace
  case replaceAfterCleanup
  case keepFirst
  /// Runs at most `width` effects at once; at most `capacity` more wait for their turn, first in, first out.
  case queue(width: Int, capacity: Int)
}
