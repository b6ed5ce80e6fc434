import AsyncStore
import Synchronization
import Testing

extension StressTests {
  /// Six stores in a ring that are bound to each other, lift into each other, and notify each other.
  @Suite("Rings of stores under load", .timeLimit(.minutes(10)))
  struct StoreRingStressTests {
    private static let threads = 4
    typealias Effect = SlotStore.Effect

    private actor Home {}

    /// Returns a ring whose stores are bound to their neighbors, and commit once more at some notifications.
    private static func ring(_ population: Population, isBound: Bool = false) -> [SlotStore] {
      let home = Home()
      let echo = Echo()
      let stores = (0..<6).map { index in
        SlotStore(
          state: Slots(threads, population.canary()), env: population.canary(),
          isolation: isBound && index % 3 == 0 ? home : nil, instrument: index % 2 == 0 ? echo : nil)
      }
      echo.stores.value.withLock { $0 = stores.map { WeakStore(store: $0) } }
      for index in 0..<6 { bind(stores[index], to: stores[(index + 5) % 6]) }
      return stores
    }

    private static func bind(_ store: SlotStore, to upstream: SlotStore) {
      store.bind(id: "ring", to: upstream, on: \.total) { total in .set { $0.total = max($0.total, total) } }
    }

    /// Returns an operation that travels around the ring, and whose result counts in the thread's slot at its
    /// destination.
    private static func effect(_ stores: [SlotStore], from start: Int, hops: Int, slot: Int) -> Effect {
      var effect = Effect.concatenate(
        .task {
          await Task.yield()
          return .set { $0.counts[slot] += 1 }
        },
        .set {
          $0.counts[slot] += 1
          $0.total += 1
        })
      for hop in (0..<hops).reversed() {
        effect = .concatenate(.lift(effect, to: stores[(start + hop + 1) % 6]), .task { .none })
      }
      return effect.finally(.set { $0.current += 1 })
    }

    private static func count(_ stores: [SlotStore], _ slot: Int) -> Int {
      stores.reduce(0) { sum, store in sum + store.withState { $0.counts[slot] } }
    }

    @Test("After a cancel nothing that was lifted commits anywhere in the ring", arguments: [false, true])
    func cancels(isBound: Bool) async throws {
      let population = Population()
      let violations = Tally()
      do {
        let stores = Self.ring(population, isBound: isBound)
        await Stress.onThreads(Self.threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for _ in 0..<Stress.count(300) {
            let start = Int(generator.next() % 6)
            let effect = Self.effect(stores, from: start, hops: Int(generator.next() % 7), slot: thread)
            let handle = stores[start].receive(effect.id(thread))
            Stress.spin(&generator, upTo: 8_000)
            switch generator.next() % 3 {
            case 0: stores[start].receive(.cancel(thread))
            case 1: handle.cancel()
            default: stores[start].receive(Effect.none.id(thread)); stores[start].receive(.cancel(thread))
            }
            let atCancel = Self.count(stores, thread)
            Stress.spin(&generator, upTo: 4_000)
            if Self.count(stores, thread) != atCancel { violations.add() }
            _ = handle.wait()
            if Self.count(stores, thread) != atCancel { violations.add() }
          }
        }
        #expect(violations.value == 0)
        for store in stores { try await store.shutdown(drain: .zero, cleanup: .seconds(60)) }
        #expect(stores.allSatisfy { $0.inFlight.isEmpty })
      }
      #expect(await population.isExtinct())
    }

    @Test("Stores that are deactivated and activated all the time leave no handle waiting and nothing in flight")
    func activity() async throws {
      let population = Population()
      do {
        let stores = Self.ring(population)
        await Stress.onThreads(Self.threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for round in 0..<Stress.count(300) {
            let start = Int(generator.next() % 6)
            if thread == 0 {
              stores[start].deactivate()
              Stress.spin(&generator, upTo: 2_000)
              stores[start].activate()
              Self.bind(stores[start], to: stores[(start + 5) % 6])
            } else {
              let effect = Self.effect(stores, from: start, hops: Int(generator.next() % 7), slot: thread)
              let handle = stores[start].receive(effect.id(round % 3))
              if round % 4 == 0 { _ = handle.wait() }
            }
          }
        }
        for store in stores { try await store.shutdown(drain: .zero, cleanup: .seconds(60)) }
        #expect(stores.allSatisfy { $0.inFlight.isEmpty })
      }
      #expect(await population.isExtinct())
    }

    @Test("Whole rings may be released with everything in flight")
    func lettingGo() async {
      let population = Population()
      await Stress.onThreads(Self.threads) { thread in
        var generator = SplitMix64(seed: UInt64(thread))
        for _ in 0..<Stress.count(15) {
          var stores = Self.ring(population)
          var sources: [AsyncStream<Int>.Continuation] = []
          for start in 0..<6 {
            stores[start].receive(Self.effect(stores, from: start, hops: 3, slot: thread))
            stores[start].receive(.timer(.microseconds(50), id: "timer") { _ in .set { $0.total += 1 } })
            let (numbers, source) = AsyncStream.makeStream(of: Int.self)
            sources.append(source)
            let back = Effect.lift(.stream(numbers) { _ in .none }, to: stores[start])
            // A ring of lifts that all wait would keep its stores. So one of them ends with its stream.
            let rest: Effect = start == 5 ? .none : .sleep(.seconds(3_600))
            stores[start].receive(.lift(.concatenate(back, rest), to: stores[(start + 1) % 6]))
          }
          Stress.spin(&generator, upTo: 6_000)
          while !stores.isEmpty { stores.remove(at: Int(generator.next() % UInt64(stores.count))) }
          // A lift back into the store it came from keeps both stores until it ends.
          for source in sources { source.finish() }
        }
      }
      #expect(await population.isExtinct())
    }
  }
}

private struct WeakStore: Sendable {
  weak let store: SlotStore?
}

/// An instrument that makes another store commit at some of its events.
private final class Echo: StoreInstrument {
  let stores = Shared(Mutex<[WeakStore]>([]))
  private let count = Atomic<Int>(0)

  func record(_ event: InstrumentEvent) {
    let number = count.add(1, ordering: .relaxed).newValue
    guard number % 16 == 0 else { return }
    let store = stores.value.withLock { $0.isEmpty ? nil : $0[number / 16 % $0.count].store }
    store?.receive(.lift(.set { $0.current += 1 }, to: store!))
  }
}
