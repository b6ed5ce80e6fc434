/// The one alarm of a store, which rings at the earliest deadline.
///
/// It is generic over its sleeper, so that its tests need no task. It returns what its owner has to start and to
/// cancel.
///
/// | state | left by |
/// |---|---|
/// | `off` | `set` with a deadline |
/// | `set` | `set` with an earlier deadline, or with none if that is not to be waited for; `wokeUp` |
/// | `ringing` | `wokeUp` once more, for the next round; `fired`, to set for the same sleeper or to off |
struct Alarm<Sleeper> {
  enum State: Equatable {
    case off
    case set(Moment)
    /// Deadlines are being fired; after that the alarm is set again.
    case ringing
  }

  /// A request to the owner.
  struct Adjustment {
    /// The sleeper to cancel.
    var cancel: Sleeper?
    /// The moment until which a new sleeper has to sleep, and its number.
    var start: (moment: Moment, serial: UInt64)?
  }

  private(set) var state = State.off
  /// True if the alarm is set for a moment, and is not ringing.
  var isSet: Bool { if case .set = state { true } else { false } }
  /// The number of the current sleeper; the others are ignored.
  private var serial: UInt64 = 0
  private(set) var sleeper: Sleeper?

  /// Sets the alarm for the earliest deadline.
  ///
  /// An alarm for an earlier moment stays; when it rings, it is set for the next deadline.
  ///
  /// - Parameter staysOn: returns whether the alarm stays set although no deadline is left, ready for the next one.
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

  /// Keeps the sleeper that was started.
  ///
  /// - Returns: false if it is not needed any more.
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
  /// - Parameter next: the earliest deadline that is left. The same sleeper sleeps until then, or ends.
  mutating func fired(next: Moment?) {
    if let next {
      state = .set(next)
    } else {
      _ = turnOff()
    }
  }

  func isCurrent(_ serial: UInt64) -> Bool { self.serial == serial }

  /// - Returns: the sleeper, which is not the current one any more.
  private mutating func turnOff() -> Sleeper? {
    serial += 1
    state = .off
    return sleeper.take()
  }
}
