import AsyncStore
import Synchronization
import Testing

extension StressTests {
  @Suite("Cancelling under load")
  struct CancelStressTests {
    private let threads = 4

    @Test("After a cancel returns nothing of the operation commits, however close it is to its end")
    func cancelAgainstCompletion() async {
      await cancelAgainstCompletion { store, _, thread in store.receive(.cancel(thread)) }
    }

    @Test("After a handle's cancel returns nothing of its tree commits")
    func handleCancelAgainstCompletion() async {
      await cancelAgainstCompletion { _, handle, _ in handle.cancel() }
    }

    private func cancelAgainstCompletion(
      _ cancel: @escaping @Sendable (SlotStore, EffectHandle, _ thread: Int) -> Void
    ) async {
      let population = Population()
      let violations = Tally()
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for _ in 0..<Stress.count(2_500) {
            var operation = SplitMix64(seed: generator.next())
            let before = store.withState { $0.counts[thread] }
            let task = SlotStore.Effect.task { [operation] in
              var generator = operation
              Stress.spin(&generator)
              return .set { $0.count(thread) }
            }
            let isMerged = operation.next() % 2 == 0
            let effect: SlotStore.Effect = isMerged ? .merge(task, task, .concatenate(task, task)) : task
            let handle = store.receive(effect.id(thread))
            Stress.spin(&generator, upTo: 8_000)
            cancel(store, handle, thread)
            let atCancel = store.withState { $0.counts[thread] }
            let outcome = handle.wait()
            let after = store.withState { $0.counts[thread] }
            if after != atCancel { violations.add() }
            if outcome.isFinished, after != before + (isMerged ? 4 : 1) { violations.add() }
            if !isMerged, outcome.isCancelled, after != before { violations.add() }
          }
        }
        #expect(violations.value == 0)
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }

    @Test("A cancel that meets the end of an operation does not reach the next one, which has its task")
    func cancelAgainstSuccession() async {
      let population = Population()
      let violations = Tally()
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for round in 1...Stress.count(2_500) {
            let operation = generator
            func limited(_ task: SlotStore.Effect) -> SlotStore.Effect { task.timeout(.seconds(1_000), else: .none) }
            let first = SlotStore.Effect.task {
              var generator = operation
              Stress.spin(&generator)
              return .none
            }
            let next = SlotStore.Effect.task {
              if Task.isCancelled { violations.add() }
              return .set { $0.count(thread) }
            }
            let handle = store.receive(.concatenate(limited(first).id(thread), limited(next)))
            Stress.spin(&generator, upTo: 8_000)
            store.receive(.cancel(thread))
            _ = handle.wait()
            if store.withState({ $0.counts[thread] }) != round { violations.add() }
          }
        }
        #expect(violations.value == 0)
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }

    @Test("Only the newest commits of the effects that several threads start under one id")
    func restartsFromSeveralThreads() async throws {
      let population = Population()
      let numbers = Tally()
      let settled = Tally()
      let rounds = Stress.count(2_500)
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          var last: EffectHandle?
          for round in 0..<rounds {
            let number = thread * rounds + round + 1
            let seed = generator.next()
            last = store.receive(
              .concatenate(
                .set(\.current, to: number),
                .task {
                  var generator = SplitMix64(seed: seed)
                  Stress.spin(&generator)
                  return .set { if $0.current != number { $0.violations += 1 } }
                },
                .set { if $0.current != number { $0.violations += 1 } }
              ).id("one"))
            numbers.add()
            Stress.spin(&generator)
          }
          if last?.wait() != nil { settled.add() }
        }
        #expect(store.violations == 0)
        #expect(settled.value == threads)
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }

    @Test("Timers that are started and cancelled from several threads never tick after their cancel")
    func timers() async throws {
      let population = Population()
      let violations = Tally()
      do {
        let store = SlotStore(state: Slots(threads, population.canary()), env: population.canary())
        await Stress.onThreads(threads) { thread in
          var generator = SplitMix64(seed: UInt64(thread))
          for _ in 0..<Stress.count(100) {
            store.receive(
              .timer(.microseconds(Int64(20 + generator.next() % 300)), id: thread) { tick in
                tick.index % 2 == 0 ? .set { $0.count(thread) } : .task { .set { $0.count(thread) } }
              })
            Stress.spin(&generator, upTo: 900_000)
            store.receive(.cancel(thread))
            let count = store.withState { $0.counts[thread] }
            Stress.spin(&generator, upTo: 20_000)
            if store.withState({ $0.counts[thread] }) != count { violations.add() }
          }
        }
        #expect(violations.value == 0)
        #expect(store.total > 0)
        // A cancelled tick's operation may be under way still.
        try await store.shutdown(drain: .zero, cleanup: .seconds(60))
        #expect(store.inFlight.isEmpty)
      }
      #expect(await population.isExtinct())
    }
  }
}
