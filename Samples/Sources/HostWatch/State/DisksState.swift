/// The state of the disks' store.
struct DisksState: Gauge {
  static let name = "disks"

  private(set) var traffic = TrafficMeter()
  private(set) var fileSystems: [FileSystemReading]?
  var failure: String?

  struct Reading: Sendable {
    var counters: [ByteCounters]
    var fileSystems: [FileSystemReading]
  }

  static func read(_ host: Host) throws -> Reading {
    Reading(counters: try host.disks(), fileSystems: try host.fileSystems())
  }

  mutating func add(_ reading: Reading, at time: Duration) {
    traffic.add(reading.counters, at: time)
    fileSystems = reading.fileSystems
  }
}
