/// The state of the network's store.
struct NetworkState: Gauge {
  static let name = "network"

  private(set) var traffic = TrafficMeter()
  var failure: String?

  static func read(_ host: Host) throws -> [ByteCounters] {
    try host.network()
  }

  mutating func add(_ reading: [ByteCounters], at time: Duration) {
    traffic.add(reading, at: time)
  }
}
