/// A pass that has released the lock, and takes it again as often as necessary.
///
/// In between, other threads get the lock, the pass's lifted effects begin in other stores, and fibers cancelled
/// meanwhile are no longer stepped.
///
/// `@unchecked`: only one thread at a time uses the pass: the thread that began it, or the task that it was handed over
/// to.
final class SuspendedPass: @unchecked Sendable {
  private let runtime: Runtime
  private var suspension: Suspension?
  /// The run that reported the end of its operation, until its next operation is known.
  private var driver: Run?
  private var context: TreeContext?
  private let mayCommit: Bool
  private let handsOver: Bool
  /// The number of times that the pass has taken the lock in this call.
  private var count = 1

  init(
    _ runtime: Runtime, _ suspension: Suspension, driver: Run?, context: TreeContext?, mayCommit: Bool, handsOver: Bool
  ) {
    self.runtime = runtime
    self.suspension = suspension
    self.driver = driver
    self.context = context
    self.mayCommit = mayCommit
    self.handsOver = handsOver
  }

  /// Steps until the lock has to be given up.
  func resume(in round: Round) {
    // Handed over only here, when all consequences of the earlier steps have been carried out.
    if count == InlineWorkLimit.passes, handsOver { return handOver(round.handover.emission) }
    guard let suspended = suspension.take() else { preconditionFailure("a pass resumes that is complete") }
    runtime.giveWay()
    var chores = Chores()
    // The round may have continued in a task.
    let mayCommit = mayCommit && runtime.isOnIsolation()
    runtime.lockOnly { core in
      core.note(mayCommit: mayCommit)
      core.machine.resume(suspended, &core.pass)
      runtime.conclude(&core, driver: driver, in: { context }, into: &chores)
    }
    var round: Round? = round
    runtime.carryOut(&chores, in: context, &round)
    if let next = chores.continuation {
      guard let run = driver.take() else { preconditionFailure("no run continues with \(next.summary)") }
      round?.continueDriver(run, with: next, in: context)
    }
    suspension = chores.suspension
    guard let suspension else { return }
    // The round counts the times that the pass waits for other stores.
    if !suspension.resumption.awaitsOthers { count += 1 }
    round?.resume(self)
  }

  /// Continues the pass in a task, on the store's actor if the pass is there.
  ///
  /// Deadlines, ticks and error handlers run on threads with other work to do, above all the alarm's. So do the effects
  /// of bindings, on threads that commit in the upstream stores.
  private func handOver(_ emission: Emission?) {
    count = 0
    emission?.continuesElsewhere()
    // The task-local values of the tree are not bound in the task; operations that begin there take them from the tree.
    context?.keepInheritance()
    context = nil
    runtime.continueInTask(onActor: mayCommit) {
      let round = Round()
      round.resume(self)
      round.run(for: self.runtime, .everything(emission))
      emission?.partEnded()
    }
  }
}
