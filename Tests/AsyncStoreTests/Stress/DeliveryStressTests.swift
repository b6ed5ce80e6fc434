import AsyncStore
import Testing

extension StressTests {
  /// Delivery by one thread while others commit without a pause: law 11.
  @Suite("Deliveries under load")
  struct DeliveryStressTests {
    @Test("A receive that tells the observers returns, though other threads never stop committing")
    func deliveringEnds() async {
      let up = SlotStore(state: Slots(1, Population().canary()), env: nil)
      let down = SlotStore(state: Slots(1, Population().canary()), env: nil)
      let (commits, hasReturned) = (Tally(), Tally())
      down.bind(id: "up", to: up, on: \.current) { value in
        // The first delivery blocks its thread here until the other threads are at work, or until that thread has
        // handed the delivery over.
        if value == 1 { while commits.value < 100, hasReturned.value == 0 {} }
        return .none
      }
      await Stress.onThreads(3) { thread in
        if thread == 0 {
          up.receive(.set(\.current, to: 1))
          return hasReturned.add(1)
        }
        // The limit is far more than a task needs to take over.
        while hasReturned.value == 0, commits.value < 300_000 {
          commits.add(1)
          up.receive(.set(\.current, to: commits.value + 1))
        }
      }
      #expect(commits.value < 300_000)
      up.deactivate()
      down.deactivate()
    }

    @Test("A binding is released, whenever its upstream ends")
    func bindingWhileUpstreamEnds() async {
      let population = Population()
      do {
        let up = SlotStore(state: Slots(1, population.canary()), env: nil)
        let down = SlotStore(state: Slots(1, population.canary()), env: nil)
        let isOver = Tally()
        await Stress.onThreads(2) { thread in
          guard thread == 0 else {
            while isOver.value == 0 {
              up.deactivate()
              up.activate()
            }
            return
          }
          for _ in 0..<Stress.count(2_000) {
            let canary = population.canary()
            down.bind(id: "up", to: up, on: \.current) { _ in
              withExtendedLifetime(canary) { .none }
            }
          }
          isOver.add(1)
        }
      }
      #expect(await population.isExtinct())
    }
  }
}
