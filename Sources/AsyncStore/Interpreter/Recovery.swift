/// The handler of errors around a fiber, and the next one outside of it.
struct Recovery<P: Program> {
  /// `nil` once the recovery has been cancelled.
  var handler: P?
  var outer: FiberSlot
}
