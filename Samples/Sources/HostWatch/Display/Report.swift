#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The dashboard for other programs: one JSON object.
///
/// Sizes are in bytes, rates in bytes a second, shares from 0 to 1. Unknown values are left out.
struct Report: Encodable {
  struct Processor: Encodable {
    var use: Double
    var cores: [Double]
  }

  struct Memory: Encodable {
    var total: UInt64
    var used: UInt64
    var swapTotal: UInt64
    var swapUsed: UInt64
  }

  struct Load: Encodable {
    var oneMinute: Double
    var fiveMinutes: Double
    var fifteenMinutes: Double
  }

  struct Disk: Encodable {
    var name: String
    var read: Double
    var written: Double
  }

  struct FileSystem: Encodable {
    var mountPoint: String
    var total: UInt64
    var free: UInt64
  }

  struct Interface: Encodable {
    var name: String
    var received: Double
    var sent: Double
  }

  /// The time of the report, as ISO 8601.
  var time: String
  var processor: Processor?
  var memory: Memory?
  var load: Load?
  var disks: [Disk]?
  var fileSystems: [FileSystem]?
  var network: [Interface]?
  var alerts: [String]
  /// The parts whose last reading failed, with the reasons.
  var failures: [String: String]
}

extension Report {
  init(_ dashboard: Dashboard, at time: Date) {
    self.time = time.formatted(.iso8601)
    processor = dashboard.processor.use.map { Processor(use: $0.total, cores: $0.cores) }
    memory = dashboard.memory.reading.map {
      Memory(total: $0.total, used: $0.used, swapTotal: $0.swapTotal, swapUsed: $0.swapUsed)
    }
    load = dashboard.load.reading.map {
      Load(oneMinute: $0.oneMinute, fiveMinutes: $0.fiveMinutes, fifteenMinutes: $0.fifteenMinutes)
    }
    disks = dashboard.disks.traffic.rates?.map { Disk(name: $0.name, read: $0.incoming, written: $0.outgoing) }
    fileSystems = dashboard.disks.fileSystems?.map {
      FileSystem(mountPoint: $0.mountPoint, total: $0.total, free: $0.free)
    }
    network = dashboard.network.traffic.rates?.map {
      Interface(name: $0.name, received: $0.incoming, sent: $0.outgoing)
    }
    alerts = dashboard.alerts.map(\.name)
    failures = Dictionary(uniqueKeysWithValues: dashboard.failures.map { ($0.part, $0.reason) })
  }

  /// Returns the object on one line, with its keys in alphabetical order.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
