import AsyncStore
import Observation
import Synchronization
import Testing

extension StressTests {
  @Suite("Observation under load")
  struct ObservationStressTests {
    struct Numbers: Sendable {
      var n = 0
      let canary: Canary
    }

    /// Reads a number, and reads it again after each notification of a change.
    final class Rereader: Sendable {
      let last = Atomic<Int>(-1)

      func read(_ number: @escaping @Sendable () -> Int) {
        withObservationTracking {
          last.store(number(), ordering: .sequentiallyConsistent)
        } onChange: { [weak self] in
          self?.read(number)
        }
      }
    }

    @Test("Readers who read again when told see the last value, whichever of four writers commits it, and whenever")
    func lastValue() async {
      let population = Population()
      var misses = 0
      for _ in 0..<Stress.count(300) {
        let store = AsyncStore(state: Numbers(canary: population.canary()), env: ())
        let rereaders = (0..<4).map { _ in Rereader() }
        await Stress.onThreads(8) { [weak store] thread in
          guard let store else { return }
          if thread < 4 {
            for number in 0..<20 { store.receive(.set(\.n, to: thread * 1_000 + number)) }
          } else {
            rereaders[thread - 4].read { [weak store] in store?.n ?? 0 }
          }
        }
        let last = store.n
        let haveSeen = await Stress.eventually(within: 10) {
          rereaders.allSatisfy { $0.last.load(ordering: .sequentiallyConsistent) == last }
        }
        if !haveSeen { misses += 1 }
      }
      #expect(misses == 0)
      #expect(await population.isExtinct())
    }

    @Test("Sequences of observations end at the last value, with four writers")
    func observations() async {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
      let population = Population()
      for _ in 0..<Stress.count(100) {
        let store = AsyncStore(state: Numbers(canary: population.canary()), env: ())
        let ended = Tally()
        let readers = (0..<2).map { _ in
          Task.detached {
            for await number in Observations({ store.n }) where number == -1 { break }
            ended.add()
          }
        }
        let left = Shared(Atomic<Int>(4))
        await Stress.onThreads(4) { thread in
          for number in 0..<20 { store.receive(.set(\.n, to: thread * 1_000 + number)) }
          if left.value.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { store.receive(.set(\.n, to: -1)) }
        }
        let haveEnded = await Stress.eventually(within: 10) { ended.value == 2 }
        #expect(haveEnded)
        for reader in readers { reader.cancel() }
        guard haveEnded else { return }
      }
      #expect(await population.isExtinct())
    }
  }
}
