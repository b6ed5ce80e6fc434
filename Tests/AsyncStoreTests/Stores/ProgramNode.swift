/// One effect of a received tree, as the program sees it: what of it has happened.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class ProgramNode: @unchecked Sendable {
  let effect: ProgramEffect
  let lineage: Lineage
  /// The parts, and for an operation what it returned.
  var children: [ProgramNode] = []
  /// The scope of a timer.
  var scope: Lineage?
  /// How often it was committed, or how often its operation or handler ran.
  var count = 0
  /// Received by a call that is inside of no delivery, so that what it commits is told lock by lock.
  var isWatched = false
  /// How often its store had been deactivated when it was made; `nil`: it was not active.
  let epoch: Int?

  init(_ effect: ProgramEffect, _ lineage: Lineage, epoch: Int?) {
    (self.effect, self.lineage, self.epoch) = (effect, lineage, epoch)
  }

  func watch() {
    isWatched = true
    for child in children { child.watch() }
  }
}

/// A running operation.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class ProgramTask: @unchecked Sendable {
  let node: ProgramNode
  let plan: ProgramOperation
  /// Its task has been cancelled, as `Task.isCancelled` says from then on.
  var isCancelled = false
  var continuation: UnsafeContinuation<Void, any Error>?

  init(_ node: ProgramNode, _ plan: ProgramOperation) { (self.node, self.plan) = (node, plan) }

  func resume(throwing error: (any Error)? = nil) {
    guard let continuation else { return }
    self.continuation = nil
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}
