/// The state of the processor's store.
struct ProcessorState: Gauge {
  static let name = "processor"

  /// The use between the last two readings; `nil` before the second.
  private(set) var use: ProcessorUse?
  private(set) var history = History()
  var failure: String?
  private var counters: ProcessorCounters?

  static func read(_ host: Host) throws -> ProcessorCounters {
    try host.processor()
  }

  mutating func add(_ reading: ProcessorCounters, at time: Duration) {
    if let counters {
      let use = reading.use(since: counters)
      self.use = use
      history.append(use.total)
    }
    counters = reading
  }
}
