import Testing

@testable import AsyncStore

extension StressTests {
  @Suite("Task-local values under load")
  struct InheritanceStressTests {
    @TaskLocal static var local = 0

    @Test("Several threads use a tree's values at once")
    func sharing() async {
      let store = SlotStore(state: Slots(1, Population().canary()), env: Population().canary())
      let tree = TreeContext(store.runtime, mayOperate: true)
      let (run, violations) = (Tally(), Tally())
      Self.$local.withValue(7) { tree.keepInheritance() }
      await Stress.onThreads(4) { _ in
        for _ in 0..<Stress.count(5_000) {
          tree.inherit {
            run.add()
            if Self.local != 7 { violations.add() }
          }
        }
      }
      #expect(run.value == 4 * Stress.count(5_000))
      #expect(violations.value == 0)
    }

    @Test("Operations that other threads start have the task-local values of their receiver")
    func queue() async throws {
      let population = Population()
      let threads = 4
      let violations = Tally()
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var last: EffectHandle?
          for _ in 0..<Stress.count(1_000) {
            let operation = SlotStore.Effect.task {
              if Self.local != thread + 1 { violations.add() }
              return .set { $0.count(thread) }
            }
            Self.$local.withValue(thread + 1) {
              // Each waits for the effects of other threads, at two places at once, and for a deadline.
              last = store.receive(
                .merge(
                  operation.id("one", .queue()), operation.id("other", .queue()),
                  .concatenate(.sleep(.microseconds(1)), operation)))
            }
          }
          _ = last?.wait()
        }
        try await store.wait(
          for: \.total, toSatisfy: { $0 == threads * 3 * Stress.count(1_000) }, timeout: .seconds(300))
        #expect(violations.value == 0)
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }
  }
}
