#if Services
  import AsyncStore
  import CoreMetrics
  import Synchronization

  /// An instrument that counts and times a store's events, with swift-metrics.
  ///
  /// | name | type | labels | what it measures |
  /// |---|---|---|---|
  /// | `asyncstore.commits` | counter | | changes of the state |
  /// | `asyncstore.effects.active` | meter | | effects that take time and have begun: operations, sleeps, streams … |
  /// | `asyncstore.effects.duration` | timer | `kind`, `label`, `outcome` | the time from beginning to end |
  /// | `asyncstore.effects.dropped` | counter | `label` | effects that a policy, or a full queue, dropped |
  /// | `asyncstore.effects.ignored` | counter | | effects received while the store was not active |
  /// | `asyncstore.failures` | counter | `kind`, `label` | errors that no `recover` has taken |
  /// | `asyncstore.recoveries` | counter | `kind`, `label` | errors that a `recover` has taken |
  /// | `asyncstore.retries` | counter | `label` | failed attempts after which another one was due |
  /// | `asyncstore.timeouts` | counter | `label` | time limits that have passed |
  /// | `asyncstore.waiting` | meter | `reason` | effects that wait for a place, a cleanup, a window or a turn |
  /// | `asyncstore.wait` | timer | `reason`, `label` | the time that they have waited |
  /// | `asyncstore.timer.lateness` | timer | `label` | how late timers tick |
  /// | `asyncstore.bindings.unsettled` | counter | | cycles of bindings that did not settle |
  ///
  /// Each has the label `store`, the store's name or number; stores with the same name share their metrics. Identifiers
  /// are never labels, because there may be a million of them: label effects with `label(_:)`. The number of ended
  /// effects, by outcome, is the count of `asyncstore.effects.duration`.
  ///
  /// ```swift
  /// import MetricsTestKit
  ///
  /// let metrics = TestMetrics()
  /// let counted = CounterStore(
  ///   state: Counter(), env: service, name: "orders", instrument: MetricsInstrument(factory: metrics))
  /// await counted.run(.set(\.count, to: 1))
  /// let commits = try metrics.expectCounter("asyncstore.commits", [("store", "orders")])
  /// // commits.totalValue == 1
  /// ```
  public final class MetricsInstrument: StoreInstrument {
    private let stores: Mutex<MetricsTable>

    /// Creates an instrument, for any number of stores.
    ///
    /// - Parameter factory: the backend; by default the one that the program has already bootstrapped.
    public init(factory: (any MetricsFactory)? = nil) {
      stores = Mutex(MetricsTable(factory: factory ?? MetricsSystem.factory))
    }

    /// The events that are counted or timed.
    public var events: EventKinds { .all.subtracting([.lifted, .cancelled, .attempted, .attemptsEnded, .joinCycle]) }

    /// Counts or times an event.
    public func record(_ event: InstrumentEvent) {
      stores.withLock { $0.metrics(of: event.store).note(event) }
    }
  }

  extension StoreMetrics {
    fileprivate func note(_ event: InstrumentEvent) {
      guard let effect = event.effect else {
        if case .unsettledBindings = event.kind { count(Key(name: .unsettled)) }
        return
      }
      switch event.kind {
      case .committed: commit()
      case .begun: begin(Effect(event, effect), at: event.moment)
      case .settled(let outcome): settle(Effect(event, effect), effect, at: event.moment, outcome)
      case .dropped: count(Key(name: .dropped, label: effect.label))
      case .ignored: count(Key(name: .ignored))
      // A cancelled operation that throws has not failed.
      case .failed where effect.isCancelled, .recovered where effect.isCancelled: break
      case .recovered: count(Key(name: .recoveries, kind: effect.effect.kind, label: effect.label))
      case .failed: count(Key(name: .failures, kind: effect.effect.kind, label: effect.label))
      case .backedOff: count(Key(name: .retries, label: effect.label))
      case .timedOut: count(Key(name: .timeouts, label: effect.label))
      case .waiting(let reason): beginWaiting(Effect(event, effect), at: event.moment, for: reason)
      case .waited(let reason, _): endWaiting(Effect(event, effect), effect.label, at: event.moment, for: reason)
      case .ticked(_, let late): time(late, Key(name: .lateness, label: effect.label))
      case .lifted, .cancelled, .attempted, .attemptsEnded, .unsettledBindings, .joinCycle: break
      }
    }
  }
#endif
