import Testing

@testable import HostWatch

@Suite("The network's counters")
struct NetworkTests {
  static let header = """
    Inter-|   Receive                                                |  Transmit
     face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier
    """

  @Test("The network's counters cover every interface except the loopback")
  func interfaces() throws {
    let text =
      Self.header + """

            lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0
          eth0:    5903      41    0    0    0     0          0         0     5713      61    0    0    0     0       0
        eth0:1:4294967295 7 0 0 0 0 0 0 12 1 0 0 0 0 0 0
        """
    #expect(
      try ByteCounters.interfaces(procNetDev: text) == [
        ByteCounters(name: "eth0", incoming: 5903, outgoing: 5713),
        ByteCounters(name: "eth0:1", incoming: 4_294_967_295, outgoing: 12),
      ])
  }

  @Test("A /proc/net/dev without interfaces gives no counters")
  func none() throws {
    #expect(try ByteCounters.interfaces(procNetDev: Self.header).isEmpty)
    #expect(try ByteCounters.interfaces(procNetDev: "").isEmpty)
  }

  @Test(
    "An error names the line of /proc/net/dev that can't be read",
    arguments: [
      ("eth0 1 2 3", "/proc/net/dev:3: there is no colon after a name"),
      ("eth0: 1 2 3", "/proc/net/dev:3: there are 4 fields, and field 10 is missing"),
      ("eth0: one 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0", "/proc/net/dev:3: field 2 is \"one\", not a count"),
    ]
  )
  func malformed(line: String, message: String) {
    let error = #expect(throws: HostError.self) {
      try ByteCounters.interfaces(procNetDev: Self.header + "\n" + line)
    }
    #expect(error?.description == message)
  }
}

@Suite("The meter of traffic")
struct TrafficMeterTests {
  @Test("The traffic meter knows no rates before the second reading")
  func first() {
    var meter = TrafficMeter()
    meter.add([ByteCounters(name: "eth0", incoming: 500, outgoing: 50)], at: .seconds(1))
    #expect(meter.rates == nil)
    #expect(meter.incoming.values.isEmpty)
  }

  @Test("The traffic meter divides by the time between the readings")
  func rates() {
    var meter = TrafficMeter()
    meter.add([ByteCounters(name: "eth0", incoming: 500, outgoing: 50)], at: .seconds(1))
    meter.add([ByteCounters(name: "eth0", incoming: 1500, outgoing: 150)], at: .seconds(3))
    #expect(meter.rates == [ByteRates(name: "eth0", incoming: 500, outgoing: 50)])
    #expect(meter.incoming.values == [500])
    #expect(meter.outgoing.values == [50])
  }

  @Test("The traffic meter counts nothing for a new device or a counter that went back")
  func hotplug() {
    var meter = TrafficMeter()
    meter.add([ByteCounters(name: "a", incoming: 500, outgoing: 50)], at: .seconds(1))
    meter.add(
      [ByteCounters(name: "a", incoming: 10, outgoing: 60), ByteCounters(name: "b", incoming: 9, outgoing: 9)],
      at: .seconds(2))
    #expect(
      meter.rates == [
        ByteRates(name: "a", incoming: 0, outgoing: 10), ByteRates(name: "b", incoming: 0, outgoing: 0),
      ])
  }

  @Test("The traffic meter computes no rates from a reading that is not later than the last")
  func noTime() {
    var meter = TrafficMeter()
    meter.add([ByteCounters(name: "a", incoming: 0, outgoing: 0)], at: .seconds(1))
    meter.add([ByteCounters(name: "a", incoming: 5, outgoing: 5)], at: .seconds(1))
    #expect(meter.rates == nil)
  }
}
