import AsyncStore
import AsyncStoreTesting
import Testing

@testable import HostWatch

@Suite("The monitor", .simulated(time: .manual))
struct MonitorTests {
  let simulation: Simulation
  let clock: TestClock
  let output = Output()
  let host: FakeHost
  let monitor: Monitor

  init() throws {
    simulation = try #require(Simulation.current)
    clock = simulation.clock
    host = FakeHost(clock)
    monitor = Monitor(
      host: host.host,
      display: output.display(.lines),
      rules: [AlertRule("memory short", .memoryUse, raiseAt: 0.9, clearAt: 0.5)],
      clock: clock,
      executor: simulation.executor
    )
  }

  /// Lets the memory's store take a reading in; when this returns, what is bound to it has it too.
  func use(_ percent: UInt64) {
    let time = clock.now.offset
    monitor.memory.receive(.set { $0.add(MemoryReading(total: 100, available: 100 - percent), at: time) })
  }

  @Test("The monitor keeps the dashboard equal to the states of the stores")
  func bindings() {
    use(30)
    #expect(monitor.dashboard.memory.reading?.use == 0.3)
    #expect(monitor.dashboard.memory == monitor.memory.state)
    #expect(monitor.dashboard.processor == monitor.processor.state)
  }

  @Test("The monitor shows the error of a store on the dashboard")
  func failure() async throws {
    host.set { $0.memory = .failure(HostError(code: .unreadable, source: "/proc/meminfo", reason: "gone")) }
    await monitor.memory.run(.reading)
    #expect(monitor.dashboard.memory.failure == "/proc/meminfo: gone")
    #expect(monitor.dashboard.state.failures.map(\.part) == ["memory"])
  }

  @Test("The monitor raises an alert once the readings have been quiet for an eighth of the interval")
  func debounced() async throws {
    monitor.dashboard.start(every: .seconds(8))
    for percent in [95, 96] as [UInt64] {
      await clock.advance(by: .milliseconds(999))
      use(percent)
      let update = monitor.dashboard.inFlight.first { $0.identifier == "alerts.update" }
      #expect(update?.remaining == .seconds(1))
    }
    #expect(monitor.dashboard.alerts.isEmpty)
    await clock.advance(by: .seconds(1))
    #expect(monitor.dashboard.alerts == monitor.dashboard.rules)
  }

  @Test("The monitor keeps an alert between the thresholds of its rule")
  func hysteresis() async {
    monitor.dashboard.start(every: .seconds(8))
    var history: [Int] = []
    for percent in [80, 95, 60, 50, 60] as [UInt64] {
      use(percent)
      await clock.advance(by: .seconds(1))
      history.append(monitor.dashboard.alerts.count)
    }
    #expect(history == [0, 1, 1, 0, 0])
  }

  @Test("The monitor shows the dashboard a quarter of the interval after each round of readings")
  func shown() async {
    monitor.start(every: .seconds(4))
    await clock.advance(by: .zero)
    for round in 1...3 {
      #expect(monitor.dashboard.load.history.values.count == round)
      await clock.advance(by: .milliseconds(999))
      #expect(output.pieces.count == round - 1)
      await clock.advance(by: .milliseconds(1))
      #expect(output.pieces.count == round)
      #expect(output.pieces.last?.contains("| load 0.50 |") == true)
      await clock.advance(by: .seconds(3))
    }
    #expect(await monitor.shutdown(deadline: .seconds(1)).isEmpty)
  }

  @Test("The monitor keeps the display's error until the dashboard can be shown again")
  func displayFailure() async {
    let monitor = Monitor(
      host: host.host, display: output.display(.json), clock: clock, executor: simulation.executor)
    for (average, isShown) in [(Double.nan, false), (0.5, true)] {
      let reading = LoadReading(oneMinute: average, fiveMinutes: 0, fifteenMinutes: 0)
      monitor.load.receive(.set { $0.add(reading, at: .zero) })
      await monitor.dashboard.run(.show)
      #expect((monitor.dashboard.displayFailure == nil) == isShown)
      #expect(output.text.isEmpty == !isShown)
    }
  }

  @Test("The monitor lists what is in flight by store, and nothing after its shutdown")
  func shutdown() async {
    monitor.start(every: .seconds(4))
    #expect(
      HostWatchCommand.report(monitor.inFlight).hasSuffix(
        "\n  dashboard: processor, memory, load, disks, network, alerts, alerts.update, display\n"))
    #expect(await monitor.shutdown(deadline: .seconds(1)).isEmpty)
    #expect(monitor.inFlight.isEmpty)
  }

  @Test("The monitor ends after the given time")
  func seconds() async {
    let ended = monitor.dashboard.receive(.end(after: 3, orAt: AsyncStream { _ in }))
    #expect(!ended.isSettled)
    await clock.advance(by: .seconds(3) - .nanoseconds(1))
    #expect(!ended.isSettled)
    await clock.advance(by: .nanoseconds(1))
    #expect(await ended.outcome.isFinished)
  }

  @Test("The monitor ends at a signal without waiting for the given time")
  func signal() async {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let ended = monitor.dashboard.receive(.end(after: 3, orAt: signals))
    continuation.yield(2)
    #expect(await ended.outcome.isFinished)
  }
}
