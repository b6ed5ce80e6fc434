/// The ending of a lifted effect, as seen by the effect it is part of.
enum LiftEnding {
  case completed
  /// The effect had completed when it, or its last effect, was cancelled.
  case cancelledAfterwards
  /// The effect failed, was cancelled or dropped, or its store takes no effects.
  case incomplete
}
