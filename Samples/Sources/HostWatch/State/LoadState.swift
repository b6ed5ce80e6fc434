/// The state of the load's store.
struct LoadState: Gauge {
  static let name = "load"

  private(set) var reading: LoadReading?
  /// The averages over one minute.
  private(set) var history = History()
  var failure: String?

  static func read(_ host: Host) throws -> LoadReading {
    try host.load()
  }

  mutating func add(_ reading: LoadReading, at time: Duration) {
    self.reading = reading
    history.append(reading.oneMinute)
  }
}
