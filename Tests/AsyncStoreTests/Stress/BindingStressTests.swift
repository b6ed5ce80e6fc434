import AsyncStore
import Synchronization
import Testing

extension StressTests {
  @Suite("Bindings under load")
  struct BindingStressTests {
    @Test("A bound store gets every value once, in order, whole, and ends as the map of its upstream")
    func deliveries() async throws {
      let population = Population()
      let violations = Tally()
      let delivered = Tally()
      let threads = 2
      let count = Stress.count(8_000)
      do {
        let upstream = WholeStore(state: Whole(canary: population.canary()), env: population.canary())
        let downstreams = (0..<3).map { _ in SlotStore(state: Slots(1, population.canary()), env: population.canary()) }
        for downstream in downstreams {
          downstream.bind(id: "pair", to: upstream, on: \.pair) { pair in
            if !pair.isWhole { violations.add() }
            delivered.add()
            return .set {
              if pair.number > 0, pair.number != $0.current + 1 { $0.violations += 1 }
              $0.current = pair.number
            }
          }
        }
        await Stress.onThreads(threads) { _ in
          for _ in 0..<count { upstream.receive(.set { $0.advance() }) }
        }
        for downstream in downstreams {
          // A task delivers the rest if one thread has delivered for others too long.
          try await downstream.wait(for: \.current, toSatisfy: { $0 >= threads * count }, timeout: .seconds(60))
          #expect(downstream.violations == 0)
          #expect(downstream.current == threads * count)
        }
        #expect(violations.value == 0)
        #expect(delivered.value == 3 * (threads * count + 1))
      }
      #expect(await population.isExtinct())
    }

    @Test("Values derived from each other are no cycle, however many threads' commits one thread tells of")
    func derivedValues() async throws {
      struct Reports: StoreInstrument {
        let events: EventKinds = .unsettledBindings
        let tally = Tally()
        func record(_ event: InstrumentEvent) { tally.add() }
      }
      struct Numbers: Sendable { var (a, b, c, d, e) = (0, 0, 0, 0, 0) }
      let (reports, threads, count) = (Reports(), 4, Stress.count(16_000))
      let store = AsyncStore(state: Numbers(), env: (), instrument: reports)
      store.bind(id: "b", to: store, on: \.a) { .set(\.b, to: $0) }
      store.bind(id: "c", to: store, on: \.b) { .set(\.c, to: $0) }
      store.bind(id: "d", to: store, on: \.c) { .set(\.d, to: $0) }
      store.bind(id: "e", to: store, on: \.d) { .set(\.e, to: $0) }
      await Stress.onThreads(threads) { _ in
        for _ in 0..<count { store.receive(.set { $0.a += 1 }) }
      }
      try await store.wait(for: \.e, toEqual: threads * count, timeout: .seconds(60))
      #expect(reports.tally.value == 0)
    }

    @Test("A cycle between two actors is reported, also while others commit to its stores, and ends with them")
    func cycleOfActors() async throws {
      final class Reports: StoreInstrument {
        let events: EventKinds = .unsettledBindings
        let reports = Mutex<Set<[EffectID]>>([])
        func record(_ event: InstrumentEvent) {
          guard case .unsettledBindings(let identifiers) = event.kind else { return }
          reports.withLock { _ = $0.insert(identifiers) }
        }
      }
      struct Numbers: Sendable { var (round, other) = (0, 0) }
      let reports = Reports()
      let stores = [Desk(), Desk()].map {
        AsyncStore(state: Numbers(), env: (), isolation: $0, instrument: reports)
      }
      stores[1].bind(id: "up", to: stores[0], on: \.round) { .set(\.round, to: $0 + 1) }
      stores[0].bind(id: "down", to: stores[1], on: \.round) { .set(\.round, to: $0 + 1) }
      stores[1].bind(id: "other", to: stores[0], on: \.other) { .set(\.other, to: $0) }
      let count = Stress.count(4_000)
      await Stress.onThreads(2) { _ in
        for _ in 0..<count { stores[0].receive(.set { $0.other += 1 }) }
      }
      try await stores[1].wait(for: \.other, toEqual: 2 * count, timeout: .seconds(60))
      try await stores[0].wait(for: \.round, toSatisfy: { $0 > 8_000 }, timeout: .seconds(60))
      #expect(reports.reports.withLock { $0 } == [["down", "up"]])
      for store in stores { store.deactivate() }
    }

    @Test("Upstreams and downstreams may go at any moment", arguments: [true, false])
    func bindAgainstDealloc(isUpstream: Bool) async {
      let population = Population()
      for _ in 0..<Stress.count(500) {
        let stores = Shared(
          Mutex<[SlotStore]>(
            (0..<2).map { _ in SlotStore(state: Slots(1, population.canary()), env: population.canary()) }))
        await Stress.onThreads(3) { thread in
          guard var mine = stores.value.withLock({ $0.count == 2 ? $0 : nil }) else { return }
          let (upstream, downstream) = (mine[0], mine[1])
          mine = []
          switch thread {
          case 0:
            let canary = population.canary()
            for index in 0..<4 {
              downstream.bind(id: index % 2, to: upstream, on: \.total) { [canary] total in
                withExtendedLifetime(canary) {
                  total % 2 == 0 ? .set(\.total, to: total) : .task { .set(\.total, to: total) }
                }
              }
            }
          case 1:
            for _ in 0..<8 { upstream.receive(.set { $0.total += 1 }) }
          default:
            _ = stores.value.withLock { $0.remove(at: isUpstream ? 0 : 1) }
          }
        }
      }
      #expect(await population.isExtinct())
    }

    @Test("Once its upstream is gone a binding leaves nothing behind in a store that lives on")
    func upstreamGoes() async {
      let population = Population()
      let downstream = SlotStore(state: Slots(), env: nil)
      for _ in 0..<Stress.count(200) {
        var upstream: SlotStore? = SlotStore(state: Slots(), env: nil)
        let canary = population.canary()
        downstream.bind(id: "total", to: upstream!, on: \.total) { [canary] total in
          withExtendedLifetime(canary) { .set(\.total, to: total) }
        }
        upstream = nil
      }
      #expect(await population.isExtinct())
      #expect(downstream.inFlight.isEmpty)
    }

    @Test("Two stores bound to each other agree once the threads that commit to both have ended")
    func cycle() async {
      let population = Population()
      let count = Stress.count(4_000)
      do {
        let left = SlotStore(state: Slots(1, population.canary()), env: population.canary())
        let right = SlotStore(state: Slots(1, population.canary()), env: population.canary())
        left.bind(id: "right", to: right, on: \.total) { total in .set { $0.total = max($0.total, total) } }
        right.bind(id: "left", to: left, on: \.total) { total in .set { $0.total = max($0.total, total) } }
        await Stress.onThreads(4) { thread in
          let store = thread % 2 == 0 ? left : right
          for _ in 0..<count { store.receive(.set { $0.total += 1 }) }
        }
        let hasSettled = await Stress.eventually { left.total == right.total && left.total >= 2 * count }
        #expect(hasSettled)
      }
      #expect(await population.isExtinct())
    }

    @Test(
      "A cycle that never settles is reported, leaves the process responsive, and can be ended",
      .timeLimit(.minutes(10)))
    func neverSettling() async throws {
      let population = Population()
      do {
        let log = Log()
        let left = SlotStore(state: Slots(1, population.canary()), env: population.canary(), instrument: log)
        let right = SlotStore(state: Slots(1, population.canary()), env: population.canary(), instrument: log)
        left.bind(id: "from the right", to: right, on: \.total) { total in .set { $0.total = total + 1 } }
        // The call returns, although the values never come to rest.
        right.bind(id: "from the left", to: left, on: \.total) { total in .set { $0.total = total + 1 } }
        for _ in 0..<20 { left.receive(.set { $0.total += 1 }) }
        let isReported = await Stress.eventually { log.unsettled.contains("from the left") }
        #expect(isReported)

        let other = SlotStore(state: Slots(), env: nil)
        for _ in 0..<Stress.count(1_000) { await other.run(.task { .set { $0.count(0) } }) }
        #expect(other.total == Stress.count(1_000))

        let total = left.total
        let goesOn = await Stress.eventually { left.total > total }
        #expect(goesOn)
        left.receive(.cancel("from the right"))
        let atCancel = left.total
        try await right.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(left.total == atCancel)
      }
      #expect(await population.isExtinct())
    }

    @Test("A watched store may be dropped by a delivery")
    func dropInDelivery() async {
      let population = Population()
      let log = Log()
      for _ in 0..<Stress.count(200) {
        let upstream = SlotStore(state: Slots(), env: nil)
        let held = Shared(
          Mutex<SlotStore?>(SlotStore(state: Slots(1, population.canary()), env: population.canary(), instrument: log)))
        held.value.withLock { _ = $0?.receive(.timer(.seconds(1_000), id: "timer") { _ in .none }) }
        held.value.withLock {
          _ = $0?.receive(
            .task {
              try await Task.sleep(for: .seconds(1_000)); return .none
            })
        }
        upstream.bind(id: "own", to: \.total) { total in
          if total == 1 { _ = held.value.withLock { $0.take() } }
          return .none
        }
        upstream.receive(.set(\.total, to: 1))
      }
      #expect(await population.isExtinct())
    }
  }
}

/// Records the bindings that were reported not to settle.
private final class Log: StoreInstrument {
  private let names = Mutex<Set<String>>([])
  var unsettled: Set<String> { names.withLock { $0 } }

  func record(_ event: InstrumentEvent) {
    guard case .unsettledBindings(let identifiers) = event.kind else { return }
    names.withLock { $0.formUnion(identifiers.map(\.description)) }
  }
}
