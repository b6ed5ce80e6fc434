/// Counts of the events that interrupt a shutdown.
struct Interruptions: Equatable {
  var activations = 0
  /// The number of deactivations that skipped the cleanup of effects in flight.
  var hardStops = 0
}
