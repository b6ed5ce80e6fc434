#if Services
  import AsyncStore
  import CoreMetrics
  import Synchronization

  /// An instrument that counts and times what a store does, by swift-metrics.
  ///
  /// | name | type | labels | what it measures |
  /// |---|---|---|---|
  /// | `asyncstore.commits` | counter | | changes of the state |
  /// | `asyncstore.effects.active` | meter | | effects that take time and have begun: operations, sleeps, streams … |
  /// | `asyncstore.effects.duration` | timer | `kind`, `label`, `outcome` | the time from begin to end, for each that has ended |
  /// | `asyncstore.effects.dropped` | counter | `label` | effects that their identifier's policy refused |
  /// | `asyncstore.effects.ignored` | counter | | effects received while the store was not active |
  /// | `asyncstore.failures` | counter | `kind`, `label` | errors that have left an effect |
  /// | `asyncstore.retries` | counter | `label` | attempts that failed and were followed by another one |
  /// | `asyncstore.timeouts` | counter | `label` | time limits that were over |
  /// | `asyncstore.waiting` | meter | `reason` | effects that wait for a place, a clean-up, a window or a turn |
  /// | `asyncstore.wait` | timer | `reason`, `label` | the time that they have waited |
  /// | `asyncstore.timer.lateness` | timer | `label` | how late timers tick |
  /// | `asyncstore.bindings.unsettled` | counter | | circles of bindings that did not come to rest |
  ///
  /// Each has the label `store`, the store's name or number. Identifiers are never labels: there may be a million of
  /// them. So name effects by `named`. The number of ended effects, by outcome, is the count of
  /// `asyncstore.effects.duration`.
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
    private let handlers: Mutex<MetricHandlers>
    private let progress = Mutex(Progress())

    /// Begins that have not ended, by the numbers of their effects.
    private struct Progress {
      var begun: [EffectKey: Duration] = [:]
      var waiting: [EffectKey: Duration] = [:]
      var active: [StoreIdentity: Int] = [:]
      var waitingCounts: [WaitKey: Int] = [:]
    }

    private struct EffectKey: Hashable {
      let store: UInt64
      let effect: UInt64
    }

    private struct WaitKey: Hashable {
      let store: StoreIdentity
      let wait: InstrumentEvent.Wait
    }

    /// Creates an instrument, for any number of stores.
    ///
    /// - Parameter factory: the backend; by default the one that the program has bootstrapped before.
    public init(factory: (any MetricsFactory)? = nil) {
      handlers = Mutex(MetricHandlers(factory: factory ?? MetricsSystem.factory))
    }

    /// Counts or times an event.
    public func record(_ event: InstrumentEvent) {
      let (store, label) = (event.store, event.effect?.label)
      switch event.kind {
      case .committed: count(.commits, store)
      case .begun: begin(event)
      case .settled(let outcome): settle(event, outcome)
      case .dropped: count(.dropped, store, label: label)
      case .ignored: count(.ignored, store)
      case .failed: count(.failures, store, kind: event.effect?.effect.kind, label: label)
      case .backedOff: count(.retries, store, label: label)
      case .timedOut: count(.timeouts, store, label: label)
      case .waiting(let wait): beginWaiting(event, wait)
      case .waited(let wait, _): endWaiting(event, wait)
      case .ticked(_, let late): time(late, MetricKey(.lateness, store, label: label))
      case .unsettledBindings: count(.unsettled, store)
      case .cancelled, .attempted, .circularJoin: break
      }
    }

    private func begin(_ event: InstrumentEvent) {
      guard let key = key(of: event) else { return }
      let active = progress.withLock { progress in
        progress.begun[key] = event.moment
        progress.active[event.store, default: 0] += 1
        return progress.active[event.store, default: 0]
      }
      set(active, MetricKey(.active, event.store))
    }

    private func settle(_ event: InstrumentEvent, _ outcome: EffectOutcome) {
      guard let key = key(of: event), let effect = event.effect else { return }
      let ended = progress.withLock { progress -> (begun: Duration, active: Int)? in
        guard let begun = progress.begun.removeValue(forKey: key) else { return nil }
        progress.active[event.store, default: 0] -= 1
        return (begun, progress.active[event.store, default: 0])
      }
      guard let ended else { return }
      set(ended.active, MetricKey(.active, event.store))
      time(
        event.moment - ended.begun,
        MetricKey(.duration, event.store, kind: effect.effect.kind, label: effect.label, outcome: outcome.name))
    }

    private func beginWaiting(_ event: InstrumentEvent, _ wait: InstrumentEvent.Wait) {
      guard let key = key(of: event) else { return }
      let count = progress.withLock { progress in
        progress.waiting[key] = event.moment
        progress.waitingCounts[WaitKey(store: event.store, wait: wait), default: 0] += 1
        return progress.waitingCounts[WaitKey(store: event.store, wait: wait), default: 0]
      }
      set(count, MetricKey(.waiting, event.store, reason: wait))
    }

    private func endWaiting(_ event: InstrumentEvent, _ wait: InstrumentEvent.Wait) {
      guard let key = key(of: event) else { return }
      let ended = progress.withLock { progress -> (begun: Duration, count: Int)? in
        guard let begun = progress.waiting.removeValue(forKey: key) else { return nil }
        progress.waitingCounts[WaitKey(store: event.store, wait: wait), default: 0] -= 1
        return (begun, progress.waitingCounts[WaitKey(store: event.store, wait: wait), default: 0])
      }
      guard let ended else { return }
      set(ended.count, MetricKey(.waiting, event.store, reason: wait))
      time(event.moment - ended.begun, MetricKey(.wait, event.store, label: event.effect?.label, reason: wait))
    }

    private func key(of event: InstrumentEvent) -> EffectKey? {
      event.effect.map { EffectKey(store: event.store.number, effect: $0.id) }
    }

    private func count(
      _ name: MetricKey.Name, _ store: StoreIdentity, kind: EffectKind? = nil, label: String? = nil
    ) {
      let key = MetricKey(name, store, kind: kind, label: label)
      handlers.withLock { $0.counter(key) }.increment(by: 1)
    }

    private func set(_ count: Int, _ key: MetricKey) { handlers.withLock { $0.meter(key) }.set(Double(count)) }

    private func time(_ duration: Duration, _ key: MetricKey) {
      handlers.withLock { $0.timer(key) }.recordNanoseconds(max(0, duration.nanoseconds))
    }
  }

  extension Duration {
    fileprivate var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
