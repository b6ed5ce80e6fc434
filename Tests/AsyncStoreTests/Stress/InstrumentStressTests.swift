import AsyncStore
import Synchronization
import Testing

extension StressTests {
  @Suite("Instruments under load")
  struct InstrumentStressTests {
    /// Keeps a part of the records that it is told of, for a while.
    private final class Keeper: StoreInstrument {
      private let kept = Mutex<[(record: EffectRecord, words: String)]>([])
      let begun = Tally()
      let settled = Tally()
      /// The kept records that have changed.
      let changes = Tally()

      func record(_ event: InstrumentEvent) {
        guard let effect = event.effect else { return }
        switch event.kind {
        case .begun: begun.add()
        case .settled: settled.add()
        default: break
        }
        if effect.id % 3 == 0 { kept.withLock { $0.append((effect, effect.description)) } }
      }

      func letGo() {
        let all = kept.withLock { kept in
          defer { kept = [] }
          return kept
        }
        for (record, words) in all where record.description != words { changes.add() }
      }
    }

    @Test("A record that an instrument keeps never changes, and what has begun settles")
    func keptRecords() async {
      let population = Population()
      let (callers, count) = (4, Stress.count(2_000))
      do {
        let keeper = Keeper()
        let store = SlotStore(
          state: Slots(callers, population.canary()), env: population.canary(), instrument: keeper)
        await withDiscardingTaskGroup { group in
          for caller in 0..<callers {
            group.addTask {
              for number in 0..<count {
                let id = EffectID("effect").appending(caller).appending(number)
                await store.run(
                  .concatenate(.set { $0.count(caller) }, .task { .none }).label("\(caller) \(number)").id(id))
                if number % 16 == 0 { keeper.letGo() }
              }
            }
          }
        }
        // Another thread may be about to tell it of the last ones.
        #expect(await Stress.eventually { keeper.settled.value == callers * count })
        keeper.letGo()
        #expect(keeper.begun.value == callers * count && keeper.changes.value == 0)
      }
      #expect(await population.isExtinct())
    }
  }
}
