extension Runtime {
  func setAlarm(_ core: inout Core, into chores: inout Chores) {
    guard let adjustment = core.alarm.set(for: core.machine.deadlines.earliest) else { return }
    if let task = adjustment.cancel { chores.starts.append(.cancelAlarm(task)) }
    if let (moment, serial) = adjustment.start { chores.starts.append(.startAlarm(moment, serial: serial)) }
  }

  // The package's simulation knows a store's alarm by the name of this function.
  func startAlarm(at moment: Moment, serial: UInt64) {
    // Detached: the alarm belongs to no tree, and inherits no priority and no task-local values.
    let task = Task.detached(executorPreference: executor) { [self] in
      do {
        // The task goes on with the next deadline, as long as no earlier one comes and takes the alarm over.
        try await time.sleep(until: moment) { self.ring(serial) }
      } catch {
        // Without its clock the store would stand still, and nobody would know why.
        let isCurrent = !Task.isCancelled && lock { $0.alarm.isCurrent(serial) }
        trap(
          unless: !isCurrent || time.hasEnded,
          "The clock of a store failed to sleep, and nobody had cancelled the sleep: \(error)")
      }
    }
    let isNeeded = lock { $0.alarm.started(task, serial: serial) }
    if !isNeeded { task.cancel() }
  }

  /// Fires the deadlines that are due, in order.
  ///
  /// Other threads get the lock in between.
  ///
  /// - Returns: the time of the next ring, or `nil` if there is no deadline or the alarm belongs to another task by
  ///   now.
  private func ring(_ serial: UInt64) -> Moment? {
    var isCurrent = true
    var isDone = false
    while !isDone {
      perform(handsOver: true) { core in
        // While this task rings, no other can take its place; and another task's ringing is not this one's.
        guard core.alarm.wokeUp(serial: serial) else { return (isCurrent, isDone) = (false, true) }
        let now = time.now()
        // A tick or an error has to be mapped outside of the lock before a later deadline may have its effect.
        var remaining = 64
        var seen = 0
        while remaining > 0, core.pass.steps > 0, core.machine.fire(at: now, &core.pass) {
          remaining -= 1
          // By index, because elements of a slice would be copied.
          if (seen..<core.pass.directives.count).contains(where: { core.pass.directives[$0].wantsAnswer }) { break }
          seen = core.pass.directives.count
        }
        isDone = core.machine.deadlines.earliest.map { $0 > now } ?? true
      }
    }
    guard isCurrent else { return nil }
    // Only now, with all ticks mapped, is the alarm set again.
    return lock { core in
      let next = core.machine.deadlines.earliest
      core.alarm.fired(next: next)
      return next
    }
  }
}

extension Directive {
  /// True if the shell has to call user code and to tell the machine its answer.
  fileprivate var wantsAnswer: Bool {
    switch self {
    case .tick, .evaluate, .handle: true
    default: false
    }
  }
}
