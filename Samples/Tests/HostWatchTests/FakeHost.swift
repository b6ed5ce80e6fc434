import AsyncStoreTesting
import Synchronization

@testable import HostWatch

/// A machine that the test makes up.
final class FakeHost: Sendable {
  struct Readings {
    var processor = ProcessorCounters(total: .init(busy: 0, idle: 0), cores: [0: .init(busy: 0, idle: 0)])
    var memory: Result<MemoryReading, HostError> = .success(MemoryReading(total: 100, available: 100))
    var network: UInt64 = 0
  }

  private let readings = Mutex(Readings())
  private let clock: TestClock

  init(_ clock: TestClock) {
    self.clock = clock
  }

  func set(_ change: (inout sending Readings) -> Void) {
    readings.withLock { change(&$0) }
  }

  private var now: Readings { readings.withLock { $0 } }

  var host: Host {
    Host(
      processor: { self.now.processor },
      memory: { try self.now.memory.get() },
      load: { LoadReading(oneMinute: 0.5, fiveMinutes: 0.25, fifteenMinutes: 0) },
      disks: { [] },
      fileSystems: { [] },
      network: { [ByteCounters(name: "eth0", incoming: self.now.network, outgoing: 0)] },
      uptime: { self.clock.now.offset }
    )
  }
}
