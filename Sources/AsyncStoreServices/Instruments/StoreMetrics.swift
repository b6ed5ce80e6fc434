#if Services
  import AsyncStore
  import CoreMetrics

  /// The metrics of one store: what has begun, and the handlers that have been made.
  ///
  /// A handler is kept because making one may cost more than the event, and found by a key without the store's name.
  struct StoreMetrics {
    /// What a series is about, beside the store.
    struct Key: Hashable {
      /// The names, numbered so that their hash is that of a number.
      enum Name: Int {
        case commits, active, duration, dropped, ignored, failures, retries, timeouts, waiting, wait, lateness,
          unsettled
      }

      let name: Name
      var kind: EffectKind?
      var label: String?
      var outcome: EffectOutcome.Name?
      var reason: InstrumentEvent.Wait?
    }

    private let factory: any MetricsFactory
    private let store: String
    private var commits: (any CounterHandler)?
    private var active: (any MeterHandler)?
    private var counters: [Key: any CounterHandler] = [:]
    private var meters: [InstrumentEvent.Wait: any MeterHandler] = [:]
    private var timers: [Key: any TimerHandler] = [:]
    /// The begins that have not ended, by the numbers of their effects.
    private var begun: [UInt64: Duration] = [:]
    private var waiting: [UInt64: Duration] = [:]
    private var waitingCounts: [InstrumentEvent.Wait: Int] = [:]

    init(_ store: StoreIdentity, factory: any MetricsFactory) {
      self.factory = factory
      self.store = store.description
    }

    // MARK: Events

    mutating func commit() {
      let counter = commits ?? factory.makeCounter(label: "asyncstore.commits", dimensions: [("store", store)])
      commits = counter
      counter.increment(by: 1)
    }

    mutating func begin(_ effect: EffectRecord, at moment: Duration) {
      begun[effect.id] = moment
      tellActive()
    }

    mutating func settle(_ effect: EffectRecord, at moment: Duration, _ outcome: EffectOutcome) {
      guard let begin = begun.removeValue(forKey: effect.id) else { return }
      tellActive()
      time(
        moment - begin, Key(name: .duration, kind: effect.effect.kind, label: effect.label, outcome: outcome.name))
    }

    mutating func beginWaiting(_ effect: EffectRecord, at moment: Duration, for reason: InstrumentEvent.Wait) {
      waiting[effect.id] = moment
      tell(reason, change: 1)
    }

    mutating func endWaiting(_ effect: EffectRecord, at moment: Duration, for reason: InstrumentEvent.Wait) {
      guard let begin = waiting.removeValue(forKey: effect.id) else { return }
      tell(reason, change: -1)
      time(moment - begin, Key(name: .wait, label: effect.label, reason: reason))
    }

    mutating func count(_ key: Key) {
      let counter = counters[key] ?? factory.makeCounter(label: key.name.text, dimensions: dimensions(of: key))
      counters[key] = counter
      counter.increment(by: 1)
    }

    mutating func time(_ duration: Duration, _ key: Key) {
      let timer = timers[key] ?? factory.makeTimer(label: key.name.text, dimensions: dimensions(of: key))
      timers[key] = timer
      timer.recordNanoseconds(max(0, duration.nanoseconds))
    }

    private mutating func tellActive() {
      let meter = active ?? factory.makeMeter(label: Key.Name.active.text, dimensions: [("store", store)])
      active = meter
      meter.set(Double(begun.count))
    }

    private mutating func tell(_ reason: InstrumentEvent.Wait, change: Int) {
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

  extension StoreMetrics.Key.Name {
    fileprivate var text: String {
      switch self {
      case .commits: "asyncstore.commits"
      case .active: "asyncstore.effects.active"
      case .duration: "asyncstore.effects.duration"
      case .dropped: "asyncstore.effects.dropped"
      case .ignored: "asyncstore.effects.ignored"
      case .failures: "asyncstore.failures"
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
