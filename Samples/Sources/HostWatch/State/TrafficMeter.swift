/// A meter that turns counters of bytes, read again and again, into rates and their history.
struct TrafficMeter: Equatable, Sendable {
  /// The rates between the last two readings, device by device; `nil` before the second.
  private(set) var rates: [ByteRates]?
  /// The sums over all devices, in bytes a second.
  private(set) var incoming = History()
  private(set) var outgoing = History()
  private var counters: [String: ByteCounters] = [:]
  private var time: Duration?

  /// Adds counters that were read at `time`.
  mutating func add(_ counters: [ByteCounters], at time: Duration) {
    if let before = self.time, time > before {
      // A device that has just appeared starts at zero, whatever it has counted before.
      let rates = counters.map { $0.rates(since: self.counters[$0.name] ?? $0, over: time - before) }
      self.rates = rates
      incoming.append(rates.reduce(0) { $0 + $1.incoming })
      outgoing.append(rates.reduce(0) { $0 + $1.outgoing })
    }
    self.counters = Dictionary(counters.map { ($0.name, $0) }) { first, _ in first }
    self.time = time
  }
}
