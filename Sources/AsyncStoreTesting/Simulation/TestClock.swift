import AsyncStore

/// The clock of a simulation: it stands still while anything can run.
///
/// Give it to all code that sleeps. ``advance(by:)`` returns when everything due by then has happened, with all its
/// consequences: there is nothing to wait for and no need to yield.
///
/// ```swift
/// try await simulate { simulation in
///   let store = simulation.store(Counter(), env: service)
///   store.receive(.concatenate(.sleep(.seconds(60)), .set(\.count, to: 1)))
///   await simulation.clock.advance(by: .seconds(59))
///   // store.count == 0
///   await simulation.clock.advance(by: .seconds(1))
///   // store.count == 1
/// }
/// ```
public struct TestClock: Clock, Sendable {
  /// A moment, counted from the beginning of the simulation.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the beginning of the simulation.
    public let offset: Swift.Duration

    /// Creates the moment that is `offset` after the beginning.
    public init(offset: Swift.Duration = .zero) { self.offset = offset }

    /// Returns the moment that is `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time from this moment to another one.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns whether one moment is before the other.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    /// The time since the beginning of the simulation.
    public var description: String { "\(offset)" }
  }

  /// A sleeper, which waits for a moment.
  public struct Sleeper: Sendable, CustomStringConvertible {
    /// The moment at which the sleeper is due to wake.
    public let deadline: Instant
    /// The effect that waits, if it belongs to a store that the simulation knows.
    ///
    /// `nil` for a task, and for a store that is not watched.
    public let effect: InFlightEffect?
    var isUnwatchedStore = false

    /// The moment, and who sleeps.
    public var description: String {
      "\(deadline): \(effect?.description ?? (isUnwatchedStore ? "a store that is not watched" : "a task"))"
    }
  }

  let scheduler: Scheduler
  let stores: StoreList
  /// The number of the store that has this clock, and whose alarm sleeps on it; `nil` for a clock that others have.
  private(set) var store: UInt64?

  /// The current moment.
  public var now: Instant { scheduler.now }

  /// One nanosecond, the resolution of stores.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends until the instant; if it has passed, until the current job ends.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await scheduler.sleep(until: deadline, by: store.map { .store($0) } ?? .task)
  }

  /// Waits until the task is cancelled.
  ///
  /// - Throws: `CancellationError`, always.
  public func hang() async throws { try await scheduler.hang() }

  /// Lets time pass, deadline by deadline, each with all its consequences.
  ///
  /// - Parameter duration: zero runs everything that can run now.
  public func advance(by duration: Duration) async {
    trap(unless: duration >= .zero, "Time can't run backwards, and the duration is \(duration).")
    await scheduler.advance(to: now.advanced(by: duration))
  }

  /// Lets time pass until a moment, deadline by deadline.
  ///
  /// - Parameter moment: if it has passed, the call only runs everything that can run now.
  public func advance(to moment: Instant) async { await scheduler.advance(to: max(moment, now)) }

  /// Lets time pass until nobody sleeps any more.
  ///
  /// With a timer in flight, this never ends by itself; the simulation's limits end it.
  public func run() async { await scheduler.advance(to: nil) }

  /// The deadline of the next sleeper, or `nil` if nothing sleeps.
  public var nextDeadline: Instant? { sleepers.first?.deadline }

  /// The sleepers, by deadline: tasks, the effects of stores that the simulation has created or watches, and, once
  /// each, other stores created with this clock.
  ///
  /// The pending save of a persisted store is not an effect of that store, and is not included.
  ///
  /// - Complexity: linear in the number of effects and tasks in flight in the simulation's stores.
  public var sleepers: [Sleeper] {
    let tasks = unknownSleepers
    let effects = stores.sleepers(at: now)
    // The sort is stable in practice, but is not documented to be.
    let all = (effects + tasks).enumerated().sorted {
      ($0.element.deadline, $0.offset) < ($1.element.deadline, $1.offset)
    }
    return all.map(\.element)
  }

  /// The sleepers whose effects are unknown: tasks, and stores that are not watched.
  var unknownSleepers: [Sleeper] {
    let watched = stores.clockNumbers
    return scheduler.sleepers.compactMap { sleeper in
      switch sleeper.kind {
      case .task: Sleeper(deadline: sleeper.deadline, effect: nil)
      case .store(let store) where !watched.contains(store):
        Sleeper(deadline: sleeper.deadline, effect: nil, isUnwatchedStore: true)
      case .store, .own: nil
      }
    }
  }
}

extension TestClock: FiniteClock {
  @usableFromInline
  package var hasEnded: Bool { scheduler.hasEnded }

  @usableFromInline
  package var forStores: TestClock {
    var clock = self
    clock.store = scheduler.nextStoreNumber()
    return clock
  }
}
