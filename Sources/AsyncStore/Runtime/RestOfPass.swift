/// A pass that has given the lock up, and takes it again until it is complete.
///
/// In between other threads get the lock, what the pass has lifted into other stores begins there, and what has been cancelled
/// meanwhile is not stepped any more.
final class RestOfPass {
  private let runtime: Runtime
  private var suspension: Suspension?
  /// Who reports the end of a strand's operation, and the operation that it goes on with.
  private let driver: Run?
  private(set) var continuation: EffectNode?
  private let context: TreeContext?
  private let mayCommit: Bool

  init(_ runtime: Runtime, _ suspension: Suspension, driver: Run?, context: TreeContext?, mayCommit: Bool) {
    self.runtime = runtime
    self.suspension = suspension
    self.driver = driver
    self.context = context
    self.mayCommit = mayCommit
  }

  /// Steps as far as one lock lasts.
  func goOn(in round: LiftRound) {
    guard let suspended = suspension.take() else { preconditionFailure("a pass goes on that is complete") }
    runtime.giveWay()
    var chores = Chores()
    runtime.lock { core in
      core.machine.mayCommit = mayCommit
      core.machine.resume(suspended, &core.pass)
      runtime.complete(&core, driver: driver, in: { context }, into: &chores)
    }
    var round: LiftRound? = round
    runtime.carryOut(&chores, in: context, &round)
    suspension = chores.suspension
    continuation = chores.continuation
    if suspension != nil {
      round?.goOn(self)
    } else if let driver, let continuation, !driver.first.isOperation {
      // The next lift of the strand that has one behind it.
      round?.begin(driver, continuation)
    }
  }
}
