#if Services
  import AsyncStore
  import CoreMetrics

  /// The metrics of the stores with one name: the effects that have begun, and the handlers.
  ///
  /// Handlers are kept because creating one may cost more than the event, and are found by a key without the store's
  /// name.
  final class StoreMetrics {
    /// An effect of one of the stores.
    struct Effect: Hashable {
      let store: UInt64
      let number: UInt64
    }

    /// The labels of a series, except the store's.
    struct Key: Hashable {
      /// The names, numbered so that hashing one hashes a number.
      enum Name: Int {
        case commits, active, duration, dropped, ignored, failures, recoveries, retries, timeouts, waiting, wait,
          lateness, unsettled
      }

      let name: Name
      var kind: EffectKind?
      var label: String?
      var outcome: EffectOutcome.Name?
      var reason: InstrumentEvent.WaitReason?

      // Hashes only values that are fast to hash: kinds and reasons have raw values, which would be hashed as text.
      func hash(into hasher: inout Hasher) {
        hasher.combine(name.rawValue)
        hasher.combine(label)
      }
    }

    private let factory: any MetricsFactory
    private let store: String
    /// True for stores that were given a name; false for a single store known by its number.
    let hasName: Bool
    private var commits: (any CounterHandler)?
    private var active: (any MeterHandler)?
    private var counters: [Key: any CounterHandler] = [:]
    private var meters: [InstrumentEvent.WaitReason: any MeterHandler] = [:]
    private var timers: [Key: any TimerHandler] = [:]
    /// The start times of effects that have not ended.
    private var begun: [Effect: Duration] = [:]
    private var waiting: [Effect: Duration] = [:]
    private var waitingCounts: [InstrumentEvent.WaitReason: Int] = [:]

    /// True if nothing is in flight in the stores.
    var isAtRest: Bool { begun.isEmpty && waiting.isEmpty }

    init(_ store: StoreIdentity, factory: any MetricsFactory) {
      self.factory = factory
      self.store = store.description
      hasName = store.name != nil
    }

    /// Removes the series from the backend, where the number of series would grow with each store that comes and goes.
    func destroy() {
      if let commits { factory.destroyCounter(commits) }
      if let active { factory.destroyMeter(active) }
      for counter in counters.values { factory.destroyCounter(counter) }
      for meter in meters.values { factory.destroyMeter(meter) }
      for timer in timers.values { factory.destroyTimer(timer) }
    }

    // MARK: Events

    func commit() {
      if let commits { return commits.increment(by: 1) }
      let counter = factory.makeCounter(label: Key.Name.commits.text, dimensions: [("store", store)])
      commits = counter
      counter.increment(by: 1)
    }

    func begin(_ effect: Effect, at moment: Duration) {
      begun[effect] = moment
      updateActiveMeter()
    }

    func settle(_ effect: Effect, _ record: EffectRecord, at moment: Duration, _ outcome: EffectOutcome) {
      guard let begin = begun.removeValue(forKey: effect) else { return }
      updateActiveMeter()
      time(
        moment - begin, Key(name: .duration, kind: record.effect.kind, label: record.label, outcome: outcome.name))
    }

    func beginWaiting(_ effect: Effect, at moment: Duration, for reason: InstrumentEvent.WaitReason) {
      waiting[effect] = moment
      updateWaitingMeter(reason, change: 1)
    }

    func endWaiting(_ effect: Effect, _ label: String?, at moment: Duration, for reason: InstrumentEvent.WaitReason) {
      guard let begin = waiting.removeValue(forKey: effect) else { return }
      updateWaitingMeter(reason, change: -1)
      time(moment - begin, Key(name: .wait, label: label, reason: reason))
    }

    func count(_ key: Key) {
      if let counter = counters[key] { return counter.increment(by: 1) }
      let counter = factory.makeCounter(label: key.name.text, dimensions: dimensions(of: key))
      counters[key] = counter
      counter.increment(by: 1)
    }

    func time(_ duration: Duration, _ key: Key) {
      let nanoseconds = max(0, duration.nanoseconds)
      if let timer = timers[key] { return timer.recordNanoseconds(nanoseconds) }
      let timer = factory.makeTimer(label: key.name.text, dimensions: dimensions(of: key))
      timers[key] = timer
      timer.recordNanoseconds(nanoseconds)
    }

    private func updateActiveMeter() {
      if let active { return active.set(Double(begun.count)) }
      let meter = factory.makeMeter(label: Key.Name.active.text, dimensions: [("store", store)])
      active = meter
      meter.set(Double(begun.count))
    }

    private func updateWaitingMeter(_ reason: InstrumentEvent.WaitReason, change: Int) {
      waitingCounts[reason, default: 0] += change
      let meter =
        meters[reason]
        ?? factory.makeMeter(
          label: Key.Name.waiting.text, dimensions: dimensions(of: Key(name: .waiting, reason: reason)))
      meters[reason] = meter
      meter.set(Double(waitingCounts[reason, default: 0]))
    }

    private func dimensions(of key: Key) -> [(String, String)] {
      var dimensions = [("store", store)]
      if let kind = key.kind { dimensions.append(("kind", kind.rawValue)) }
      if let label = key.label { dimensions.append(("label", label)) }
      if let outcome = key.outcome { dimensions.append(("outcome", "\(outcome)")) }
      if let reason = key.reason { dimensions.append(("reason", reason.rawValue)) }
      return dimensions
    }
  }

  extension StoreMetrics.Effect {
    init(_ event: InstrumentEvent, _ effect: EffectRecord) {
      self.init(store: event.store.number, number: effect.id)
    }
  }

  extension StoreMetrics.Key.Name {
    fileprivate var text: String {
      switch self {
      case .commits: "asyncstore.commits"
      case .active: "asyncstore.effects.active"
      case .duration: "asyncstore.effects.duration"
      case .dropped: "asyncstore.effects.dropped"
      case .ignored: "asyncstore.effects.ignored"
      case .failures: "asyncstore.failures"
      case .recoveries: "asyncstore.recoveries"
      case .retries: "asyncstore.retries"
      case .timeouts: "asyncstore.timeouts"
      case .waiting: "asyncstore.waiting"
      case .wait: "asyncstore.wait"
      case .lateness: "asyncstore.timer.lateness"
      case .unsettled: "asyncstore.bindings.unsettled"
      }
    }
  }

  extension EffectOutcome {
    /// The outcome without its error.
    enum Name { case finished, failed, cancelled, dropped, inactive }

    var name: Name {
      switch self {
      case .finished: .finished
      case .failed: .failed
      case .cancelled: .cancelled
      case .dropped: .dropped
      case .inactive: .inactive
      }
    }
  }

  extension Duration {
    fileprivate var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
