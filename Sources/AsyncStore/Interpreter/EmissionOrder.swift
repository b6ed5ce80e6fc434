/// The state of a source one of whose effects goes on in a task.
struct EmissionOrder {
  /// The fiber of that effect, until its parts have ended.
  var current: FiberID?
  /// The number of its parts that have not ended.
  var parts = 0
  /// True while the shell begins the effects that have waited.
  var areContinued = false
}
