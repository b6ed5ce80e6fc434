#if Testing
  import AsyncStore

  /// An event of a store's effect, named for an assertion.
  public struct ExpectedEvent: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
      case begun, settled, committed, cancelled, failed, recovered, dropped, ignored
      case timedOut = "timed out"
      case backedOff = "backed off"
      case joinCycle = "joins in a cycle:"
      case unsettled = "does not come to rest:"

      /// False for events that follow from other assertions: a commit, because its value is asserted; an end; an
      /// expired time limit, or an attempt followed by another one, because of their consequences.
      var mustBeAsserted: Bool { ![.committed, .settled, .timedOut, .backedOff].contains(self) }
    }

    /// The kind and the condition; expectations with equal identities expect the same events.
    struct Identity: Hashable, Sendable {
      let kind: Kind
      let condition: EffectPattern.Condition
    }

    let kind: Kind
    let pattern: EffectPattern
    var identity: Identity { Identity(kind: kind, condition: pattern.condition) }

    /// The effect has begun: an operation (each attempt), a lift, a sleep, a timer, a stream, a binding, a join.
    public static func begun(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .begun, pattern: pattern)
    }
    /// The effect is over, however it ended, including its cleanup.
    ///
    /// This event need not be asserted: every effect that begins settles, or is found in flight at the end.
    public static func settled(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .settled, pattern: pattern)
    }
    /// The effect has changed the state: a `set`, an `update` or a message.
    ///
    /// Use it to assert which came first, a commit or something else: `expect(.committed(.any), .begun("search"))`. It
    /// need not be asserted, because the values are.
    public static func committed(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .committed, pattern: pattern)
    }
    /// The effect was cancelled, possibly while it waited for its place, for a cleanup, for the end of a throttle's
    /// window or for the next attempt.
    public static func cancelled(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .cancelled, pattern: pattern)
    }
    /// An error of the effect has reached the store's `mapError`, or has found no handler; a failed attempt of a retry
    /// does not count.
    public static func failed(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .failed, pattern: pattern)
    }
    /// An error of the effect has reached a `recover`, which takes it.
    public static func recovered(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .recovered, pattern: pattern)
    }
    /// The time of a `timeout` was up, and the effect that it bounds has been cancelled; the event's effect is the
    /// timeout.
    ///
    /// Use it to assert which came first, the limit or something else: `expect(.timedOut("load"), .begun("retry"))`. It
    /// need not be asserted, because the cancel is.
    public static func timedOut(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .timedOut, pattern: pattern)
    }
    /// An attempt of a retry has failed, and the next one follows, with or without a delay; the event's effect is the
    /// retry, or the task that retries itself.
    ///
    /// Use it to assert when, and how often, an attempt has failed. It need not be asserted, because the attempts that
    /// begin are.
    public static func backedOff(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .backedOff, pattern: pattern)
    }
    /// The effect never began: its identifier's policy, or a throttle's window, dropped it.
    public static func dropped(_ pattern: EffectPattern) -> ExpectedEvent {
      ExpectedEvent(kind: .dropped, pattern: pattern)
    }
    /// The effect was received while the store was not active.
    public static let ignored = ExpectedEvent(kind: .ignored, pattern: .any)
    /// Bindings in a cycle have triggered each other a thousand times, whether the cycle ends or not.
    public static let unsettledBindings = ExpectedEvent(kind: .unsettled, pattern: .any)

    /// Effects that join each other in a cycle would have waited forever.
    public static let joinCycle = ExpectedEvent(kind: .joinCycle, pattern: .any)

    var mustBeAsserted: Bool { kind.mustBeAsserted }

    /// The event and its effect, in words.
    public var description: String { "\(kind.rawValue) \(pattern)" }
  }

  /// An event that has happened.
  struct RecordedEvent: Sendable, CustomStringConvertible {
    let kind: ExpectedEvent.Kind
    /// The event's effect, or `nil` if it was ignored.
    let record: EffectRecord?
    let moment: TestClock.Instant
    let description: String

    /// Returns the events for assertions that an event implies: none for most events, and more than one for some.
    static func all(of event: InstrumentEvent, at moment: TestClock.Instant) -> [RecordedEvent] {
      let kinds: [ExpectedEvent.Kind] =
        switch event.kind {
        case .lifted, .attempted, .attemptsEnded, .waiting, .ticked: []
        case .committed: [.committed]
        case .begun: [.begun]
        case .cancelled: [.cancelled]
        case .failed: [.failed]
        case .recovered: [.recovered]
        case .timedOut: [.timedOut]
        case .backedOff: [.backedOff]
        case .dropped: [.dropped]
        case .settled(let outcome):
          // An effect that runs code is asked to end, and settles later. Every other effect is over at once.
          outcome.isCancelled && event.effect?.effect.kind.runsCode == false ? [.cancelled, .settled] : [.settled]
        // Nothing else reports the cancellation: the effect has not begun, or no attempt is running.
        case .waited(let reason, let outcome): outcome.isCancelled && reason != .turn ? [.cancelled] : []
        case .ignored: [.ignored]
        case .unsettledBindings: [.unsettled]
        case .joinCycle: [.joinCycle]
        }
      return kinds.map { kind in
        RecordedEvent(
          kind: kind, record: kind == .ignored ? nil : event.effect, moment: moment, description: "\(moment): \(event)")
      }
    }

    func isOne(of event: ExpectedEvent) -> Bool {
      kind == event.kind && (record.map { event.pattern.matches($0) } ?? true)
    }
  }

  extension EffectKind {
    fileprivate var runsCode: Bool { [.task, .lift, .stream, .binding].contains(self) }
  }
#endif
