/// The error handler around a fiber, and the next one outside it.
struct Recovery<P: Program> {
  /// `nil` once the recovery has been cancelled.
  var handler: P?
  var outer: FiberSlot
}
