import Foundation
import Testing

@testable import HostWatch

@Suite("The dashboard's text")
struct DashboardTextTests {
  static let gibibyte: UInt64 = 1 << 30

  /// A dashboard after two readings of everything, a second apart.
  static var full: Dashboard {
    var dashboard = Dashboard()
    dashboard.processor.add(.init(total: .init(busy: 0, idle: 0), cores: [0: .init(busy: 0, idle: 0)]), at: .zero)
    dashboard.processor.add(
      .init(total: .init(busy: 3, idle: 1), cores: [0: .init(busy: 3, idle: 1)]), at: .seconds(1))
    dashboard.memory.add(
      MemoryReading(total: 8 * gibibyte, available: 6 * gibibyte, swapTotal: gibibyte, swapFree: gibibyte), at: .zero)
    dashboard.load.add(LoadReading(oneMinute: 0.5, fiveMinutes: 1, fifteenMinutes: 1.25), at: .zero)
    for second in 0...1 {
      let bytes = UInt64(second) * 2048
      dashboard.disks.add(
        .init(
          counters: [ByteCounters(name: "vda", incoming: bytes, outgoing: 0)],
          fileSystems: [FileSystemReading(mountPoint: "/", total: 4 * gibibyte, free: gibibyte)]),
        at: .seconds(second))
      dashboard.network.add([ByteCounters(name: "eth0", incoming: 0, outgoing: bytes)], at: .seconds(second))
    }
    return dashboard
  }

  @Test("The dashboard has a row for everything that it watches")
  func rows() {
    #expect(
      Self.full.lines(width: 60, height: 24) == [
        "alerts        none",
        "processor                        ▇  75%",
        "cores                            ▇  1",
        "memory                           ▃  25% of 8.0 GiB",
        "swap                                0% of 1.0 GiB",
        "load                             █  0.50 1.00 1.25",
        "net received                     ▁  0 B/s",
        "net sent                         █  2.0 KiB/s",
        "disk read                        █  2.0 KiB/s",
        "disk written                     ▁  0 B/s",
        "/             ███████████████       1.0 GiB free of 4.0 GiB",
      ])
  }

  @Test("The dashboard shows a dash for what is not known yet")
  func unknown() {
    let lines = Dashboard().lines(width: 60, height: 24)
    #expect(lines.allSatisfy { $0.hasSuffix("–") || $0.hasPrefix("alerts") })
  }

  @Test("The dashboard shows failures first")
  func failures() {
    var dashboard = Self.full
    dashboard.network.failure = "/proc/net/dev: Permission denied"
    #expect(
      dashboard.lines(width: 60, height: 24).first == "network       failed: /proc/net/dev: Permission denied")
  }

  @Test("The dashboard leaves one line of the terminal free", arguments: [1, 2, 5, 24])
  func height(lines: Int) {
    #expect(Self.full.lines(width: 80, height: lines).count == max(1, min(11, lines - 1)))
  }

  @Test("The dashboard for a log is one line")
  func line() {
    var dashboard = Self.full
    dashboard.alerts = [dashboard.rules[0]]
    dashboard.load.failure = "gone"
    #expect(
      dashboard.line == "processor 75% | memory 25% | load 0.50 | disk read 2.0 KiB/s | disk written 0 B/s"
        + " | net received 0 B/s | net sent 2.0 KiB/s | alerts processor busy | load failed: gone")
  }

  @Test("The dashboard for programs is one JSON object with sorted keys")
  func json() throws {
    #expect(
      try Report(Self.full, at: Date(timeIntervalSince1970: 0)).json() == """
        {"alerts":[],"disks":[{"name":"vda","read":2048,"written":0}],"failures":{},\
        "fileSystems":[{"free":1073741824,"mountPoint":"/","total":4294967296}],\
        "load":{"fifteenMinutes":1.25,"fiveMinutes":1,"oneMinute":0.5},\
        "memory":{"swapTotal":1073741824,"swapUsed":0,"total":8589934592,"used":2147483648},\
        "network":[{"name":"eth0","received":0,"sent":2048}],"processor":{"cores":[0.75],"use":0.75},\
        "time":"1970-01-01T00:00:00Z"}
        """)
  }
}

@Suite("The dashboard's metrics")
struct DashboardMetricsTests {
  @Test("The dashboard's metrics are unknown before the first readings")
  func none() {
    #expect(Dashboard().metrics.isEmpty)
  }

  @Test("The dashboard's metrics are shares of what the machine has")
  func full() {
    #expect(
      DashboardTextTests.full.metrics == [
        .processorUse: 0.75, .memoryUse: 0.25, .swapUse: 0, .loadPerCore: 0.5, .fullestFileSystemUse: 0.75,
      ])
  }

  @Test("The dashboard's metrics raise and clear the alerts of the rules")
  func alerts() {
    var dashboard = Dashboard(rules: [AlertRule("short", .memoryUse, raiseAt: 0.9, clearAt: 0.5)])
    let history = [95, 60, 50, 60].map { used in
      dashboard.memory.add(MemoryReading(total: 100, available: UInt64(100 - used)), at: .zero)
      dashboard.updateAlerts()
      return dashboard.alerts.map(\.name)
    }
    #expect(history == [["short"], ["short"], [], []])
  }
}
