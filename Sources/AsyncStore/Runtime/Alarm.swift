/// A store's alarm, which rings at the earliest deadline.
///
/// The alarm is generic over its sleeper, so that its tests need no task. It returns what its owner has to start and to
/// cancel.
///
/// | state | left by |
/// |---|---|
/// | `off` | `set` with a deadline |
/// | `set` | `set` with an earlier deadline, or with none unless the alarm stays on; `wokeUp` |
/// | `ringing` | `wokeUp` once more, for the next round; `fired`, to set for the same sleeper or to off |
struct Alarm<Sleeper> {
  enum State: Equatable {
    case off
    case set(Moment)
    /// Deadlines are being fired; afterwards the alarm is set again, or off.
    case ringing
  }

  /// A request to the owner.
  struct Adjustment {
    /// The sleeper to cancel.
    var cancel: Sleeper?
    /// The moment until which a new sleeper has to sleep, and the sleeper's number.
    var start: (moment: Moment, serial: UInt64)?
  }

  private(set) var state = State.off
  /// True if the alarm is set for a moment and not ringing.
  var isSet: Bool { if case .set = state { true } else { false } }
  /// The number of the current sleeper; other sleepers are ignored.
  private var serial: UInt64 = 0
  private(set) var sleeper: Sleeper?

  /// Sets the alarm for the earliest deadline.
  ///
  /// An alarm for an earlier moment stays. When it rings, it is set for the next deadline.
  ///
  /// - Parameter staysOn: returns whether the alarm stays set for the next deadline although none is left.
  mutating func set(for earliest: Moment?, staysOn: @autoclosure () -> Bool = false) -> Adjustment? {
    switch (state, earliest) {
    case (.ringing, _), (.off, nil): return nil
    case (.set, nil): return staysOn() ? nil : Adjustment(cancel: turnOff())
    case (.set(let moment), let earliest?) where moment <= earliest: return nil
    case (_, let earliest?):
      let cancelled = turnOff()
      state = .set(earliest)
      return Adjustment(cancel: cancelled, start: (earliest, serial))
    }
  }

  /// Stores the sleeper that was started.
  ///
  /// - Returns: false if the sleeper is no longer needed.
  mutating func started(_ sleeper: Sleeper, serial: UInt64) -> Bool {
    guard isCurrent(serial) else { return false }
    self.sleeper = sleeper
    return true
  }

  /// Begins a round of firing deadlines.
  ///
  /// - Returns: false if another sleeper has taken over.
  mutating func wokeUp(serial: UInt64) -> Bool {
    guard isCurrent(serial) else { return false }
    state = .ringing
    return true
  }

  /// Records that the deadlines have been fired.
  ///
  /// - Parameter next: the earliest remaining deadline. The same sleeper sleeps until then, or ends.
  mutating func fired(next: Moment?) {
    if let next {
      state = .set(next)
    } else {
      _ = turnOff()
    }
  }

  func isCurrent(_ serial: UInt64) -> Bool { self.serial == serial }

  /// - Returns: the sleeper, which is no longer the current one.
  private mutating func turnOff() -> Sleeper? {
    serial += 1
    state = .off
    return sleeper.take()
  }
}

extension Runtime {
  /// Sets the alarm for the machine's earliest deadline; starting and cancelling sleepers becomes a chore.
  ///
  /// In real time, the alarm of an active store sleeps on after its last deadline is cancelled. A service sets and
  /// cancels a deadline for each request; a new alarm for each would be a new task, and Swift keeps part of a cancelled
  /// sleeper until its original wake-up time. With any other clock, no sleeper outlives its use.
  func setAlarm(_ core: inout Core, into chores: inout Chores) {
    let (earliest, isActive) = (core.machine.deadlines.earliest, core.isActive)
    let adjustment = core.alarm.set(for: earliest, staysOn: isActive && time === ContinuousClock.time)
    guard let adjustment else { return }
    if let task = adjustment.cancel { chores.beforeDeliveries.append(.cancelAlarm(task)) }
    if let (moment, serial) = adjustment.start { chores.beforeDeliveries.append(.startAlarm(moment, serial: serial)) }
  }

  // Not inlined, because the package's simulation recognizes a store's alarm by this function's name.
  @inline(never)
  func startAlarm(at moment: Moment, serial: UInt64) {
    // Detached: the alarm belongs to no tree, and inherits no priority or task-local values.
    let task = Task.detached(executorPreference: simulatedExecutor) { [self] in
      do {
        // The task continues with the next deadline until an earlier one arrives, whose task takes over the alarm.
        try await time.sleep(until: moment) { self.ring(serial) }
      } catch {
        time.trapIfNeeded(!Task.isCancelled && !isSimulationOver && lock { $0.alarm.isCurrent(serial) }, error)
      }
    }
    let isNeeded = lock { $0.alarm.started(task, serial: serial) }
    if !isNeeded { task.cancel() }
  }

  /// Fires the due deadlines in order.
  ///
  /// Other threads get the lock in between.
  ///
  /// - Returns: the time of the next ring; `nil` if there is no deadline, or if another task has taken over the alarm.
  private func ring(_ serial: UInt64) -> Moment? {
    var isCurrent = true
    var now = Moment.zero
    var rounds = 0
    while true {
      rounds += 1
      perform(handover: .everything(nil)) { core in
        // No other task takes over while this one rings. If another took over earlier, this one must not ring.
        guard core.alarm.wokeUp(serial: serial) else { return isCurrent = false }
        now = time.now()
        // At most 64 deadlines per lock, so that other threads get it in between.
        var remaining = 64
        var seen = 0
        while remaining > 0, core.pass.steps > 0, core.machine.timePassed(to: now, &core.pass) {
          remaining -= 1
          // A question ends the turn: before a later deadline may take effect, a tick or an error has to be mapped
          // outside the lock, or a retry's condition asked. Accessed by index, because elements of a slice would be
          // copied.
          if (seen..<core.pass.directives.count).contains(where: { core.pass.directives[$0].isQuestion }) { break }
          seen = core.pass.directives.count
        }
      }
      guard isCurrent else { return nil }
      // The alarm is set again only when all ticks are mapped, except those of a round that continues in a task.
      // Deadlines that these ticks have set may be due by now, too.
      let (next, isDone) = lock { core in
        let next = core.machine.deadlines.earliest
        // If deadlines arrive as fast as they are fired, the task sleeps in between although the next one is due, so
        // that other tasks of its executor get a turn.
        let isDone = next.map { $0 > now || rounds >= 64 } ?? true
        if isDone { core.alarm.fired(next: next) }
        return (next, isDone)
      }
      if isDone { return next }
      giveWay()
    }
  }
}
