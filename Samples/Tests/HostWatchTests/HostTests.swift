import Testing

@testable import HostWatch

@Suite("The system")
struct HostTests {
  @Test("The system reads everything that is watched on the machine that runs the tests")
  func system() throws {
    let host = Host.system
    #expect(try host.processor().total.idle >= 0)
    #expect(try host.memory().total > 0)
    #expect(try host.load().oneMinute >= 0)
    #expect(try host.fileSystems().allSatisfy { $0.total > 0 && $0.free <= $0.total })
    _ = try host.disks()
    _ = try host.network()
  }

  @Test("The system's clock never goes back")
  func uptime() {
    let host = Host.system
    let earlier = host.uptime()
    #expect(host.uptime() >= earlier)
  }
}
