import AsyncStore

/// A simulation without a main task: a test that never suspends drives it, call by call, on its own thread.
///
/// Jobs run in the order in which they became runnable, and sleepers wake on time. Between two calls nothing runs, so
/// that the test sees the state at any moment. Work that the test starts in between, on any thread, waits for the next
/// call.
package struct SteppedSimulation: Sendable {
  private let scheduler: Scheduler
  /// The time.
  package let clock: TestClock

  package init() {
    let limits = SimulationLimits(jobs: .max, time: .seconds(Int64.max))
    let options = Scheduler.Options(isAutomatic: false, limits: limits, isOpen: true)
    scheduler = Scheduler(strategy: ReplayStrategy(), options: options)
    clock = TestClock(scheduler: scheduler, stores: StoreList())
  }

  /// The executor that everything runs on.
  package var executor: any TaskExecutor { scheduler }
  /// The number of jobs that could run now.
  package var runnableCount: Int { scheduler.runnableCount }
  /// The number of sleepers, including the alarms of stores; each store has at most one.
  package var sleeperCount: Int { scheduler.sleepers.count }
  /// The deadline of the first sleeper, or `nil` if nothing sleeps.
  package var earliestDeadline: TestClock.Instant? { scheduler.earliestDeadline }

  /// Runs the oldest job, or wakes a sleeper that is due.
  package func step() {
    RuntimeHooks.drive(scheduler) { _ = scheduler.step() }
  }

  /// Runs everything that can run without time passing.
  package func settle() {
    RuntimeHooks.drive(scheduler) {
      // Time stands still and there is no main task, so this ends only when nothing can run any more.
      let ending = scheduler.drive()
      guard case .deadlock = ending else { preconditionFailure("A stepped simulation has ended: \(ending).") }
    }
  }

  /// Lets time pass, deadline by deadline.
  package func advance(by duration: Duration) {
    settle()
    let target = clock.now.advanced(by: duration)
    while let deadline = earliestDeadline, deadline <= target {
      scheduler.pass(to: deadline)
      settle()
    }
    scheduler.pass(to: target)
    settle()
  }

  /// Lets time pass at once, as on a machine that was asleep: everything due in between is late.
  package func jump(by duration: Duration) {
    settle()
    spend(duration)
    settle()
  }

  /// Lets the time pass that a job takes; called by that job.
  package func spend(_ duration: Duration) { scheduler.pass(to: clock.now.advanced(by: duration)) }
}
