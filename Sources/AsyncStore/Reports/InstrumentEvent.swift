/// Something that happened in a store.
public struct InstrumentEvent: Sendable, CustomStringConvertible {
  /// The kind of an event, and its data.
  public enum Kind: Sendable {
    /// An effect that takes time has begun: an operation (each attempt), a lift, a sleep, a timer, a stream, a binding,
    /// a `join`.
    case begun
    /// An effect that takes time has ended.
    case settled(EffectOutcome)
    /// A change of the state has been applied.
    case committed
    /// An effect of another store has lifted an effect into this one, which is about to begin.
    ///
    /// The event's effect is the lifted one. All effects that begin with it have the same ``EffectRecord/tree``.
    case lifted(from: EffectOrigin)
    /// An operation or a stream has been cancelled.
    case cancelled
    /// An error has reached the store's `mapError`, or has found no handler.
    ///
    /// The event's effect is the one that the error left: an operation, a stream, or the retry, race or sequence around
    /// it. A failed attempt is reported as `backedOff`.
    case failed(any Error)
    /// An error has reached a `recover`, which takes it. An error of the effect that the handler returns is a new
    /// error.
    ///
    /// The event's effect is the one that the error left, as for `failed`.
    case recovered(any Error)
    /// A retry has begun an attempt.
    case attempted(EffectAttempt)
    /// The attempt of a retry with this number has failed with this error. The next attempt begins after the delay,
    /// which may be zero.
    case backedOff(attempt: Int, any Error, Duration)
    /// A retry is over: `finished` with a successful attempt, `failed` with the error of the last attempt, or
    /// `cancelled`. All operations of its attempts have returned.
    case attemptsEnded(EffectOutcome)
    /// An effect that is ready to begin or to continue has to wait. It is followed by `waited`.
    case waiting(WaitReason)
    /// A wait is over: `finished`, or `cancelled` with its effect.
    case waited(WaitReason, EffectOutcome)
    /// The time of a `timeout` was up: the effect that it bounds has been cancelled.
    case timedOut
    /// A timer has ticked, late by this duration.
    case ticked(TimerTick, late: Duration)
    /// An effect never began: its identifier's policy dropped it, or it was the oldest waiting effect of a source with
    /// the strategy `serial`, in which case the event's effect is the source.
    case dropped
    /// An effect was received while the store was not active.
    case ignored
    /// Bindings in a cycle have triggered each other a thousand times; these are the identifiers of the bindings on the
    /// cycle. The cycle continues in the background until it ends, if it does, and loses nothing.
    case unsettledBindings([EffectID])
    /// Effects under these identifiers, each of which waits for the next, would have waited forever: a `join` that
    /// closed the cycle does not wait.
    case joinCycle([EffectID])
  }

  /// The reason of a wait.
  public enum WaitReason: String, Hashable, Sendable, CaseIterable {
    /// The effect is in line for a place under its identifier.
    case place
    /// The effect begins when the cleanup of the effect that it replaces has ended.
    case cleanup
    /// The effect begins at the end of its throttle's window.
    case window
    /// The effect continues in a turn on the actor that commits happen on.
    case turn
    /// The delay before the next attempt of a retry; the delay begins with `backedOff`.
    case backOff
  }

  /// The store in which the event happened.
  public let store: StoreIdentity
  /// The time of the event on the store's clock, counted from an origin.
  ///
  /// Stores with the default clock share one origin; with any other clock, the origin is set when the store is made.
  ///
  /// The consequences of a deadline happen at the deadline, however late the alarm was.
  public let moment: Duration
  /// The event's effect; `nil` for ``Kind/unsettledBindings(_:)`` and ``Kind/joinCycle(_:)``.
  public let effect: EffectRecord?
  /// The kind of the event, and its data.
  public let kind: Kind

  init(
    _ kind: consuming Kind, _ effect: consuming EffectRecord?, in store: consuming StoreIdentity, at moment: Moment
  ) {
    self.kind = kind
    self.effect = effect
    self.store = store
    self.moment = .nanoseconds(moment.nanoseconds)
  }

  /// The event in one line.
  public var description: String {
    let words = effect.map { " \($0)" } ?? ""
    return switch kind {
    case .begun: "begun\(words)"
    case .settled(let outcome): "settled\(words): \(outcome)"
    case .committed: "committed\(words)"
    case .lifted(let origin): "lifted\(words): from effect \(origin.effect) of \(origin.store)"
    case .cancelled: "cancelled\(words)"
    case .failed(let error): "failed\(words): \(error)"
    case .recovered(let error): "recovered\(words): \(error)"
    case .attempted(let attempt): "attempted\(words): \(attempt)"
    case .backedOff(let attempt, let error, let delay):
      "backed off\(words): attempt \(attempt) failed with \(error), the next one follows after \(delay)"
    case .attemptsEnded(let outcome): "attempts ended\(words): \(outcome)"
    case .waiting(let wait): "waiting\(words): \(wait.words)"
    case .waited(let wait, let outcome): "waited\(words): \(wait.words), \(outcome)"
    case .timedOut: "timed out\(words)"
    case .ticked(let tick, let late): "ticked\(words): number \(tick.index), \(late) late"
    case .dropped: "dropped\(words)"
    case .ignored: "ignored\(words)"
    case .unsettledBindings(let identifiers):
      "unsettled bindings \(identifiers.map(\.description).joined(separator: ", "))"
    case .joinCycle(let identifiers):
      "cycle of joins \(identifiers.map(\.description).joined(separator: ", "))"
    }
  }
}

extension InstrumentEvent.Kind {
  var asSet: EventKinds {
    switch self {
    case .begun: .begun
    case .settled: .settled
    case .committed: .committed
    case .lifted: .lifted
    case .cancelled: .cancelled
    case .failed: .failed
    case .recovered: .recovered
    case .attempted: .attempted
    case .backedOff: .backedOff
    case .attemptsEnded: .attemptsEnded
    case .waiting: .waiting
    case .waited: .waited
    case .timedOut: .timedOut
    case .ticked: .ticked
    case .dropped: .dropped
    case .ignored: .ignored
    case .unsettledBindings: .unsettledBindings
    case .joinCycle: .joinCycle
    }
  }
}

extension InstrumentEvent.WaitReason {
  fileprivate var words: String {
    switch self {
    case .place: "for a place"
    case .cleanup: "for a cleanup"
    case .window: "for the end of a window"
    case .turn: "for its actor"
    case .backOff: "for the next attempt"
    }
  }
}
