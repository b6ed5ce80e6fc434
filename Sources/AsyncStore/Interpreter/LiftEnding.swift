/// The ending of a lifted effect for what it is part of.
enum LiftEnding {
  case completed
  /// It had completed when it, or its last effect, was cancelled.
  case cancelledAfterwards
  /// It has failed, was cancelled or refused, or its store does not take effects.
  case incomplete
}
