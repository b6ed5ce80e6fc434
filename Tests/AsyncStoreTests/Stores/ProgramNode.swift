/// One effect of a received tree, and a record of how much of it has happened, as the program sees it.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class ProgramNode: @unchecked Sendable {
  let effect: ProgramEffect
  let lineage: Lineage
  /// The parts; for an operation, the effect that it returned.
  var children: [ProgramNode] = []
  /// The scope of a timer.
  var scope: Lineage?
  /// The number of times that it was committed, or that its operation or handler ran.
  var count = 0
  /// True if the call that received it was outside of any delivery, so that its commits are reported each time the lock
  /// is released.
  var isWatched = false
  /// The number of times that its store had been deactivated when it was made, or `nil` if the store was not active.
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
  /// True if its task has been cancelled.
  ///
  /// `Task.isCancelled` is true from then on.
  var isCancelled = false
  var continuation: UnsafeContinuation<Void, any Error>?

  init(_ node: ProgramNode, _ plan: ProgramOperation) { (self.node, self.plan) = (node, plan) }

  func resume(throwing error: (any Error)? = nil) {
    guard let continuation else { return }
    self.continuation = nil
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}
