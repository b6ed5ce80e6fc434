/// The one alarm of a store: which task sleeps until the earliest deadline, if any.
///
/// It is a value without tasks and clocks, which tells its owner what to start and what to cancel.
///
/// | state | `moment` | `isRinging` | left by |
/// |---|---|---|---|
/// | off | `nil` | no | `set` with a deadline |
/// | set | the time of the ring | no | `set` with an earlier deadline or none, `ring` |
/// | ringing | `nil` | yes | `rang`: to set, for the same sleeper, or to off |
///
/// `Sleeper` is the task that sleeps.
struct Alarm<Sleeper> {
  /// What a change of the deadlines asks for.
  struct Adjustment {
    /// The sleeper that is not needed any more.
    var cancelled: Sleeper?
    /// The time that a new one has to sleep until, and its number.
    var started: (moment: Moment, serial: UInt64)?
  }

  /// The time that the alarm is set for.
  private(set) var moment: Moment?
  /// The number of the sleeper that counts; the rings of others are ignored.
  private(set) var serial: UInt64 = 0
  private(set) var sleeper: Sleeper?
  /// True while deadlines are being fired, after which the alarm is set anew.
  private(set) var isRinging = false

  /// Sets the alarm for the earliest deadline.
  ///
  /// One that rings too early is left as it is: it will find the next deadline.
  mutating func set(for earliest: Moment?) -> Adjustment? {
    if isRinging { return nil }
    guard let earliest else { return moment == nil ? nil : Adjustment(cancelled: turnOff()) }
    if let moment, moment <= earliest { return nil }
    let cancelled = turnOff()
    moment = earliest
    return Adjustment(cancelled: cancelled, started: (earliest, serial))
  }

  /// Keeps the sleeper that was started.
  ///
  /// - Returns: false if it is not needed any more.
  mutating func started(_ sleeper: Sleeper, serial: UInt64) -> Bool {
    guard self.serial == serial else { return false }
    self.sleeper = sleeper
    return true
  }

  /// Notes that a sleeper has woken up, and fires deadlines.
  ///
  /// - Returns: false if it is another one's turn by now.
  mutating func ring(serial: UInt64) -> Bool {
    guard self.serial == serial else { return false }
    isRinging = true
    moment = nil
    return true
  }

  /// Notes that the deadlines have been fired.
  ///
  /// - Parameter next: the earliest deadline that is left. The same sleeper sleeps until then.
  mutating func rang(next: Moment?) {
    isRinging = false
    if next == nil { _ = turnOff() }
    moment = next
  }

  /// - Returns: the sleeper, which does not count any more.
  private mutating func turnOff() -> Sleeper? {
    serial += 1
    moment = nil
    return sleeper.take()
  }
}
