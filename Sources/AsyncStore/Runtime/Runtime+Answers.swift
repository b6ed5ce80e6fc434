import CAsyncStore

/// The answers of users' code to the machine: of an error's handler, and of a retry's condition.
extension Runtime {
  /// The greatest number of answers inside of each other on one thread.
  private static var greatestDepth: UInt { 32 }

  /// Reports an answer to the machine.
  ///
  /// The machine may ask the next question at once, as when an error leaves one retry after the other. That comes
  /// inside of this call, and beyond some depth in a task.
  func report(
    in context: TreeContext?, at deadline: Moment?, _ answer: @escaping @Sendable (inout Core) -> Void
  ) {
    let thread = Thread.record
    guard thread.pointee.answerDepth < Self.greatestDepth else { return reportInTask(context, deadline, answer) }
    thread.pointee.answerDepth += 1
    perform(in: context, mayCommit: comesToCommit(), handsOver: true) { core in
      if let deadline { core.pass.setTime(to: deadline) }
      answer(&core)
    }
    thread.pointee.answerDepth -= 1
  }

  private func reportInTask(
    _ context: TreeContext?, _ deadline: Moment?, _ answer: @escaping @Sendable (inout Core) -> Void
  ) {
    // The task-local values of the tree, which don't hold in the task.
    context?.keepInheritance()
    let report: @Sendable () -> Void = {
      guard let context else { return self.report(in: nil, at: deadline, answer) }
      context.inherit { _ in self.report(in: context, at: deadline, answer) }
    }
    if isolation != nil, isOnIsolation() { return inTurn { _ in report() } }
    Task.detached(executorPreference: executor) {
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      report()
    }
  }
}
