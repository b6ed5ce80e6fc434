#if Services
  import AsyncStore
  import AsyncStoreTesting
  import InMemoryLogging
  import Logging
  import Synchronization
  import Testing

  @testable import AsyncStoreServices

  @Suite("The shutdown of stores", .simulated(atEnd: .cancels))
  struct StoppingTests {
    @Test("A shutdown reports what it cancelled even if its draining is ended before it begins")
    func hurried() async throws {
      let simulation = try #require(Simulation.current)
      let store = simulation.notes()
      store.receive(.order("a", taking: .seconds(30)))
      let (hurried, hurry) = AsyncStream.makeStream(of: Void.self)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(20), cleanup: .seconds(5), clock: simulation.clock),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { store, drain, cleanup, _ in
        guard drain > .zero else {
          defer { hurry.finish() }
          return await store.shutdownResult(drain: drain, cleanup: cleanup)
        }
        begin.finish()
        for await _ in hurried {}
        return await store.shutdownResult(drain: drain, cleanup: cleanup)
      }
      async let reports = stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      for await _ in begun {}
      stopping.endDraining()
      let report = try #require(await reports.first)
      #expect(report.cancelled.compactMap(\.identifier) == [EffectID("order").appending("a")])
      #expect(store.lines == ["a reserved", "a released"])
    }

    @Test("A store gets its time for cleanup even if the last save of the store before it takes longer")
    func slowEnd() async throws {
      let simulation = try #require(Simulation.current)
      let (saved, store) = (simulation.notes(), simulation.notes())
      store.receive(
        .sequence(
          .note("reserved").compensate(with: .concatenate(.sleep(.seconds(1)), .note("released"))),
          .sleep(.seconds(30))))
      let clock = ManualClock()
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: clock),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { store, drain, cleanup, willEnd in
        await store.shutdownResult(drain: drain, cleanup: cleanup) {
          willEnd()
          clock.advance(by: .seconds(60))
        }
      }
      let reports = await stopping.stop([
        StoreMember(name: "saved", store: saved, prefixes: []),
        StoreMember(name: "orders", store: store, prefixes: []),
      ])
      #expect(reports.map { $0.error == nil } == [true, true])
      #expect(store.lines == ["reserved", "released"])
    }

    @Test("A shutdown counts a store's time even if the hurried shutdown of the store before it ends late")
    func lateEndOfAnother() async throws {
      let simulation = try #require(Simulation.current)
      let (first, second) = (simulation.notes(), simulation.notes())
      first.receive(.sleep(.seconds(30)))
      let clock = ManualClock()
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let hurry = Mutex<(@Sendable () -> Void)?>(nil)
      let limit = Mutex<Duration?>(nil)
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: clock),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { store, drain, cleanup, willEnd in
        if store === second {
          begin.finish()
          for await _ in ended {}
          clock.advance(by: .seconds(3))
          limit.withLock { $0 = cleanup() }
        } else if let hurry = hurry.withLock({ $0.take() }) {
          hurry()
        } else {
          for await _ in begun {}
          willEnd()
          end.finish()
          return (InFlight(), nil)
        }
        return await store.shutdownResult(drain: .zero, cleanup: { .zero }, willEnd: willEnd)
      }
      hurry.withLock { $0 = { stopping.endDraining() } }
      _ = await stopping.stop([
        StoreMember(name: "first", store: first, prefixes: []),
        StoreMember(name: "second", store: second, prefixes: []),
      ])
      #expect(limit.withLock { $0 } == .seconds(2))
    }

    private func stopping(clock: ManualClock, _ shutDown: @escaping Stopping.ShutDown) -> Stopping {
      Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: clock),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, shutDown: shutDown)
    }

    @Test(
      "The time of a cleanup counts from the limit of the draining, even if the cleanup begins later",
      arguments: [false, true])
    func lateCleanup(isHurried: Bool) async throws {
      let simulation = try #require(Simulation.current)
      let member = StoreMember(name: "orders", store: simulation.notes(), prefixes: [])
      let clock = ManualClock()
      let limit = Mutex<Duration?>(nil)
      let hurry = Mutex<(@Sendable () -> Void)?>(nil)
      let stopping = stopping(clock: clock) { _, drain, cleanup, _ in
        guard drain > .zero else { return (InFlight(), nil) }
        clock.advance(by: .seconds(3))
        if isHurried { hurry.withLock { $0 }?() }
        limit.withLock { $0 = cleanup() }
        return (InFlight(), nil)
      }
      hurry.withLock { $0 = { stopping.endDraining() } }
      _ = await stopping.stop([member])
      #expect(limit.withLock { $0 } == .seconds(3))
    }

    @Test("A shutdown hurries a store once, however often the draining is ended, and never after the end")
    func hurriedOnce() async throws {
      let simulation = try #require(Simulation.current)
      let member = StoreMember(name: "orders", store: simulation.notes(), prefixes: [])
      let hurries = Mutex(0)
      let hurry = Mutex<(@Sendable () -> Void)?>(nil)
      let stopping = stopping(clock: ManualClock()) { _, drain, _, _ in
        if drain > .zero { hurry.withLock { $0 }?() } else { hurries.withLock { $0 += 1 } }
        return (InFlight(), nil)
      }
      hurry.withLock { $0 = { for _ in 1...2 { stopping.endDraining() } } }
      _ = await stopping.stop([member])
      #expect(hurries.withLock { $0 } == 1)
      let late = self.stopping(clock: ManualClock()) { _, drain, _, _ in
        if drain == .zero { hurries.withLock { $0 += 1 } }
        return (InFlight(), nil)
      }
      _ = await late.stop([member])
      late.endDraining()
      try await simulation.clock.sleep(for: .seconds(1))
      #expect(hurries.withLock { $0 } == 1, "its store is active again, or another one's by now")
    }

    @Test("The end of a store counts once, even if a second shutdown of it ends later")
    func endToldTwice() async throws {
      let simulation = try #require(Simulation.current)
      let (first, second) = (simulation.notes(), simulation.notes())
      let clock = ManualClock()
      let limit = Mutex<Duration?>(nil)
      let stopping = stopping(clock: clock) { store, drain, cleanup, willEnd in
        if store === second {
          limit.withLock { $0 = drain }
        } else {
          willEnd()
          clock.advance(by: .seconds(60))
          willEnd()
        }
        return (InFlight(), nil)
      }
      _ = await stopping.stop([
        StoreMember(name: "first", store: first, prefixes: []),
        StoreMember(name: "second", store: second, prefixes: []),
      ])
      #expect(limit.withLock { $0 } == .seconds(1))
    }

    @Test("A shutdown lists all cancelled effects if they just fit, without saying that there are more")
    func fullList() async throws {
      let simulation = try #require(Simulation.current)
      let store = simulation.notes()
      for _ in 1...50 { store.receive(.sleep(.seconds(30))) }
      let log = InMemoryLogHandler()
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: simulation.clock),
        logger: Logger(label: "test") { _ in log })
      let reports = await stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      #expect(reports.first?.cancelled.count == 50)
      guard case .array(let listed)? = log.entries.last?.metadata["effects"] else {
        Issue.record("no list of effects")
        return
      }
      #expect(listed.count == 50)
    }

    @Test("A shutdown logs how much is in flight, and a readable list of what it cancels")
    func logged() async throws {
      let simulation = try #require(Simulation.current)
      let (store, upstream) = (simulation.notes(), simulation.notes())
      store.bind(id: "upstream", to: upstream, on: \.count) { _ in .order("bound", taking: .seconds(30)) }
      for number in 1...60 { store.receive(.order("\(number)", taking: .seconds(30))) }
      let log = InMemoryLogHandler()
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: simulation.clock),
        logger: Logger(label: "test") { _ in log })
      let inFlight = store.inFlightCount
      let reports = await stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      let cancelled = try #require(reports.first?.cancelled)
      let entries = log.entries
      #expect(entries.map { "\($0.message)" } == ["Draining", "Shut down, with effects cancelled"])
      #expect(inFlight > 60 && entries.first?.metadata["in-flight"] == "\(inFlight)")
      guard case .array(let listed)? = entries.last?.metadata["effects"] else {
        Issue.record("no list of effects")
        return
      }
      #expect(cancelled.count > 60 && listed.count == 51)
      #expect("\(listed[50])" == "… and \(cancelled.count - 50) more")
    }
  }

  /// A clock that is advanced by hand; nobody sleeps on it.
  private final class ManualClock: Clock {
    struct Instant: InstantProtocol {
      var time: Swift.Duration

      func advanced(by duration: Swift.Duration) -> Instant { Instant(time: time + duration) }
      func duration(to other: Instant) -> Swift.Duration { other.time - time }
      static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let time = Mutex(Swift.Duration.zero)
    let minimumResolution = Swift.Duration.nanoseconds(1)
    var now: Instant { Instant(time: time.withLock { $0 }) }

    func advance(by duration: Swift.Duration) { time.withLock { $0 += duration } }
    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
      preconditionFailure("nobody sleeps on it")
    }
  }
#endif
