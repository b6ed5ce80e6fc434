/// The state of a source one of whose effects goes on in a task.
struct EmissionOrder {
  /// The fiber of that effect, until its parts have ended.
  var current: FiberID?
  /// The number of its parts that have not ended.
  var parts = 0
  /// For each effect that waits, the shell's note of the deliveries that led to its value.
  var hops = Queue<Int>()
  /// True while the shell begins the effects that have waited.
  var areContinued = false
}
