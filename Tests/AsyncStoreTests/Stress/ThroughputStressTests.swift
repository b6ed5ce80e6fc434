import AsyncStore
import Testing

extension StressTests {
  @Suite("A million effects")
  struct ThroughputStressTests {
    @Test("A million sets from several threads add up")
    func sets() async {
      let population = Population()
      let threads = 2
      let count = Stress.count(500_000)
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          for _ in 0..<count { store.receive(.set { $0.count(thread) }) }
        }
        #expect(store.counts == Array(repeating: count, count: threads))
        #expect(store.total == threads * count)
      }
      #expect(await population.isExtinct())
    }

    @Test("A hundred thousand tasks from several threads add up, and leave nothing behind")
    func tasks() async throws {
      let population = Population()
      let threads = 2
      let count = Stress.count(50_000)
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var handles: [EffectHandle] = []
          for index in 0..<count {
            let canary = population.canary()
            let handle = store.receive(
              .task {
                withExtendedLifetime(canary) {
                  index % 2 == 0 ? .set { $0.count(thread) } : .task { .set { $0.count(thread) } }
                }
              })
            if index % 64 == 0 { handles.append(handle) }
          }
          for handle in handles { _ = handle.wait() }
        }
        let all = try await store.wait(for: \.total, toSatisfy: { $0 == threads * count }, timeout: .seconds(600))
        #expect(all == threads * count)
        #expect(store.counts == Array(repeating: count, count: threads))
        // The last task has committed, but may not have ended.
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }
  }
}
