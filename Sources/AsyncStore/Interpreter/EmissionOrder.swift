/// The state of a source while one of its effects continues in a task.
struct EmissionOrder {
  /// The fiber that runs that effect, until the effect's parts have ended.
  var current: FiberID?
  /// The number of the effect's parts that have not ended.
  var parts = 0
  /// True while the shell begins the effects that waited.
  var areContinued = false
}
