/// The rule for the effects of earlier values when a source has a new value.
enum SourceStrategy: Hashable, Sendable {
  case each
  case latest
  /// Runs one after the other; at most `capacity` values wait, and the oldest is dropped for a newer one.
  case serial(capacity: Int)
}
