/// The state of the memory's store.
struct MemoryState: Gauge {
  static let name = "memory"

  private(set) var reading: MemoryReading?
  /// The used share, from 0 to 1.
  private(set) var history = History()
  var failure: String?

  static func read(_ host: Host) throws -> MemoryReading {
    try host.memory()
  }

  mutating func add(_ reading: MemoryReading, at time: Duration) {
    self.reading = reading
    history.append(reading.use)
  }
}
