import AsyncStore
import Synchronization
import Testing

extension StressTests {
  @Suite("Updates with an answer, from several threads")
  struct UpdatingStressTests {
    @Test("No number is given twice, and none is lost when the store is deactivated in between")
    func tickets() async {
      let threads = 4
      let store = SlotStore(state: Slots(threads), env: nil)
      let tickets = Shared(Mutex<[Int]>([]))
      let limit = Stress.count(20_000)
      await Stress.onThreads(threads) { thread in
        var own: [Int] = []
        while let ticket = take(thread) {
          own.append(ticket)
          if ticket == limit { store.deactivate() }
        }
        tickets.value.withLock { $0 += own }
      }
      let all = tickets.value.withLock { $0.sorted() }
      #expect(all.count >= limit)
      #expect(all == Array(1...store.total))
      #expect(store.counts.reduce(0, +) == store.total)

      @Sendable func take(_ thread: Int) -> Int? {
        store.update { state in
          state.count(thread)
          return state.total
        }
      }
    }
  }
}
