extension Runtime {
  func setAlarm(_ core: inout Core, into chores: inout Chores) {
    guard !core.alarm.isRinging else { return }
    guard let earliest = core.machine.deadlines.earliest else {
      if core.alarm.moment != nil { cancelAlarm(&core, into: &chores) }
      return
    }
    if let moment = core.alarm.moment, moment <= earliest { return }
    cancelAlarm(&core, into: &chores)
    core.alarm.moment = earliest
    chores.starts.append(.setAlarm(earliest, serial: core.alarm.serial))
  }

  private func cancelAlarm(_ core: inout Core, into chores: inout Chores) {
    if let task = core.alarm.task { chores.starts.append(.cancelAlarm(task)) }
    core.alarm.serial += 1
    core.alarm.moment = nil
    core.alarm.task = nil
  }

  func startAlarm(at moment: Moment, serial: UInt64) {
    // Detached: the alarm belongs to no tree, and inherits no priority and no task-local values.
    let task = Task.detached(executorPreference: executor) { [self] in
      do {
        // The task goes on with the next deadline, as long as no earlier one comes and takes the alarm over.
        try await time.sleep(until: moment) { self.ring(serial) }
      } catch {
        // Without its clock the store would stand still, and nobody would know why.
        let isMeant = !Task.isCancelled && lock { $0.alarm.serial == serial }
        trap(
          unless: !isMeant || time.hasEnded,
          "The clock of a store failed to sleep, and nobody had cancelled the sleep: \(error)")
      }
    }
    let isLate = lock { core in
      if core.alarm.serial == serial { core.alarm.task = task }
      return core.alarm.serial != serial
    }
    if isLate { task.cancel() }
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
        guard core.alarm.serial == serial else { return (isCurrent, isDone) = (false, true) }
        core.alarm.isRinging = true
        core.alarm.moment = nil
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
      core.alarm.isRinging = false
      core.alarm.moment = core.machine.deadlines.earliest
      if core.alarm.moment == nil {
        core.alarm.serial += 1
        core.alarm.task = nil
      }
      return core.alarm.moment
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
