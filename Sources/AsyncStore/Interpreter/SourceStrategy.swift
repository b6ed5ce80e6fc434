/// The rule for the effects of earlier values when a source emits a new value.
enum SourceStrategy: Hashable, Sendable {
  case each
  case latest
  /// Runs the effects one after the other. At most `capacity` values wait, and a newer value displaces the oldest.
  case serial(capacity: Int)
}
