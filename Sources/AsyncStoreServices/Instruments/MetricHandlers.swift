#if Services
  import AsyncStore
  import CoreMetrics

  /// The name and the labels of one series.
  struct MetricKey: Hashable {
    enum Name: String {
      case commits = "asyncstore.commits"
      case active = "asyncstore.effects.active"
      case duration = "asyncstore.effects.duration"
      case dropped = "asyncstore.effects.dropped"
      case ignored = "asyncstore.effects.ignored"
      case failures = "asyncstore.failures"
      case retries = "asyncstore.retries"
      case timeouts = "asyncstore.timeouts"
      case waiting = "asyncstore.waiting"
      case wait = "asyncstore.wait"
      case lateness = "asyncstore.timer.lateness"
      case unsettled = "asyncstore.bindings.unsettled"
    }

    let name: Name
    let store: StoreIdentity
    let kind: EffectKind?
    let label: String?
    let outcome: String?
    let reason: InstrumentEvent.Wait?

    init(
      _ name: Name, _ store: StoreIdentity, kind: EffectKind? = nil, label: String? = nil, outcome: String? = nil,
      reason: InstrumentEvent.Wait? = nil
    ) {
      (self.name, self.store, self.kind) = (name, store, kind)
      (self.label, self.outcome, self.reason) = (label, outcome, reason)
    }

    var dimensions: [(String, String)] {
      var dimensions = [("store", store.description)]
      if let kind { dimensions.append(("kind", kind.rawValue)) }
      if let label { dimensions.append(("label", label)) }
      if let outcome { dimensions.append(("outcome", outcome)) }
      if let reason { dimensions.append(("reason", reason.rawValue)) }
      return dimensions
    }
  }

  /// The handlers of a backend that have been made, because making one may cost more than the event.
  struct MetricHandlers {
    private let factory: any MetricsFactory
    private var counters: [MetricKey: any CounterHandler] = [:]
    private var meters: [MetricKey: any MeterHandler] = [:]
    private var timers: [MetricKey: any TimerHandler] = [:]

    init(factory: any MetricsFactory) { self.factory = factory }

    mutating func counter(_ key: MetricKey) -> any CounterHandler {
      if let counter = counters[key] { return counter }
      let counter = factory.makeCounter(label: key.name.rawValue, dimensions: key.dimensions)
      counters[key] = counter
      return counter
    }

    mutating func meter(_ key: MetricKey) -> any MeterHandler {
      if let meter = meters[key] { return meter }
      let meter = factory.makeMeter(label: key.name.rawValue, dimensions: key.dimensions)
      meters[key] = meter
      return meter
    }

    mutating func timer(_ key: MetricKey) -> any TimerHandler {
      if let timer = timers[key] { return timer }
      let timer = factory.makeTimer(label: key.name.rawValue, dimensions: key.dimensions)
      timers[key] = timer
      return timer
    }
  }
#endif
