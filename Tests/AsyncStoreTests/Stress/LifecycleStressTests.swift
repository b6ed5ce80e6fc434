import AsyncStore
import Testing

extension StressTests {
  @Suite("Stores that come and go under load")
  struct LifecycleStressTests {
    @Test("Between a deactivate and the next activate nothing commits, and what was finished was committed")
    func deactivateAgainstReceiveAndActivate() async throws {
      let population = Population()
      let threads = 3
      let violations = Tally()
      let finished = Tally()
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads + 1) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          guard thread == threads else {
            for round in 0..<Stress.count(3_000) {
              let set = SlotStore.Effect.set { $0.count(thread) }
              let handle = store.receive(round % 3 == 0 ? set : .concatenate(.task { .none }, set))
              if case .finished = round % 3 == 0 ? handle.outcomeIfSettled : handle.wait() { finished.add() }
            }
            return
          }
          for _ in 0..<Stress.count(1_500) {
            store.deactivate()
            let total = store.withState { $0.total }
            Stress.spin(&generator, upTo: 6_000)
            if store.isActive || store.withState({ $0.total }) != total { violations.add() }
            store.activate()
            Stress.spin(&generator, upTo: 6_000)
          }
        }
        #expect(violations.value == 0)
        #expect(store.total == finished.value)
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }

    @Test("A binding that came after the last activate lives on")
    func deactivateAgainstBind() async {
      for _ in 0..<Stress.count(800) {
        let upstream = SlotStore(state: Slots(), env: nil)
        let downstream = SlotStore(state: Slots(), env: nil)
        upstream.deactivate()
        await Stress.onThreads(2) { thread in
          if thread == 0 { return upstream.deactivate() }
          upstream.activate()
          downstream.bind(id: "total", to: upstream, on: \.total) { .set(\.total, to: $0) }
        }
        // If the upstream is active, the deactivation came first and did not concern the binding.
        guard upstream.isActive else { continue }
        upstream.receive(.set(\.total, to: 1))
        #expect(downstream.total == 1)
      }
    }

    @Test("`shutdown` returns once every operation has, and its store is at rest")
    func shutdownAgainstRunningOperations() async throws {
      let population = Population()
      for round in 0..<Stress.count(60) {
        let running = Tally()
        let store = SlotStore(state: Slots(4, population.canary()), env: population.canary())
        async let receiving: Void = Stress.onThreads(4) { thread in
          var generator = SplitMix64(seed: UInt64(round * 4 + thread))
          for index in 0..<50 {
            let seed = generator.next()
            store.receive(
              .task {
                running.add(1)
                defer { running.add(-1) }
                var generator = SplitMix64(seed: seed)
                Stress.spin(&generator)
                if index % 4 == 0 { await Task.yield() }
                return .concatenate(.set { $0.count(thread) }, .sleep(.seconds(1_000)))
              })
          }
        }
        for _ in 0..<round % 7 { await Task.yield() }
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        let left = running.value
        #expect(left == 0)
        #expect(store.inFlight.isEmpty)
        await receiving
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }

    @Test("Ten thousand stores are made, used and dropped by several threads, and nothing of them stays")
    func tenThousandStores() async {
      let population = Population()
      let threads = 2
      let handles = Tally()
      let delivered = Tally()
      do {
        let hub = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for round in 0..<Stress.count(5_000) {
            let canary = population.canary()
            let store = SlotStore(state: Slots(1, canary), env: canary)
            store.bind(id: "hub", to: hub, on: \.total) { [canary] total in
              withExtendedLifetime(canary) { delivered.add() }
              return total % 2 == 0 ? .set(\.total, to: total) : .task { .set(\.total, to: total) }
            }
            if round % 2 == 0 { hub.bind(id: thread, to: store, on: \.current) { _ in .set { $0.count(thread) } } }
            store.receive(.timer(.microseconds(50), id: "timer") { _ in .set { $0.count(0) } })
            let handle = store.receive(
              .merge(
                .task { withExtendedLifetime(canary) { .set { $0.count(0) } } },
                .concatenate(.sleep(.microseconds(20)), .task { .set { $0.count(0) } }),
                .set { $0.current += 1 }))
            hub.receive(.set { $0.count(thread) })
            Stress.spin(&generator, upTo: 4_000)
            if round % 4 == 0 { store.deactivate() }
            if round % 16 == 0 {
              _ = handle.wait()
              handles.add()
            }
          }
        }
        #expect(delivered.value >= threads * Stress.count(5_000))
        hub.deactivate()
      }
      #expect(await population.isExtinct())
    }

    @Test("A dropped store's handles settle", .timeLimit(.minutes(10)))
    func dropAgainstOperations() async {
      let population = Population()
      await Stress.onThreads(3) { thread in
        var generator = SplitMix64(seed: UInt64(thread))
        for round in 0..<Stress.count(1_000) {
          var store: SlotStore? = SlotStore(state: Slots(1, population.canary()), env: population.canary())
          let handle = store?.receive(
            .merge(
              .task { .none },
              .task {
                await Task.yield(); return .sleep(1_000)
              }))
          Stress.spin(&generator)
          if round % 2 == 0 { handle?.cancel() }
          Stress.spin(&generator)
          store = nil
          _ = handle?.wait()
        }
      }
      #expect(await population.isExtinct())
    }
  }
}
