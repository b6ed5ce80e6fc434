import AsyncStore
import Synchronization
import Testing

extension StressTests {
  /// Pairs of a long synchronous prefix and a call from another thread: law 11.
  @Suite("Long prefixes under load")
  struct LongPrefixStressTests {
    enum Place: CaseIterable { case received, lifted, liftedBack, mapped, instrumented, returned }
    enum Call: CaseIterable { case receive, cancel, deactivate }

    @Test(
      "Another thread's call waits for a bounded number of steps, and may end what would never end",
      .timeLimit(.minutes(10)))
    func callsGetThrough() async {
      let population = Population()
      for work in LongPrefixWork.allCases {
        for place in Place.allCases {
          for call in Call.allCases {
            let steps = await steps(of: work, in: place, until: call, population)
            #expect(steps <= LongWork.bound, "\(work), \(place): \(call) waited for \(steps) steps")
          }
        }
      }
      #expect(await population.isExtinct())
    }

    /// - Returns: the number of steps that were done when the other thread's call had its turn.
    private func steps(
      of work: LongPrefixWork, in place: Place, until call: Call, _ population: Population
    ) async -> Int {
      let first = FirstEvent()
      let (store, other) = (
        SlotStore(state: Slots(1, population.canary()), env: nil, instrument: place == .instrumented ? first : nil),
        SlotStore(state: Slots(1, population.canary()), env: nil)
      )
      let long = LongWork(in: store)
      let steps = Tally()
      await Stress.onThreads(2) { thread in
        if thread == 0 { return Self.begin(long.effect(work).id("long"), in: place, store, other, first) }
        long.waitForStart()
        switch call {
        case .receive:
          // Read by the mutation itself, because the work goes on as soon as that has given the lock up.
          store.receive(.set { _ in steps.add(long.steps) })
        case .cancel:
          store.receive(.cancel("long"))
          steps.add(long.steps)
        case .deactivate:
          store.deactivate()
          steps.add(long.steps)
        }
        // Ends an endless effect that the call did not end.
        long.end()
      }
      store.deactivate()
      return steps.value
    }

    private static func begin(
      _ effect: SlotStore.Effect, in place: Place, _ store: SlotStore, _ other: SlotStore, _ first: FirstEvent
    ) {
      switch place {
      case .received: store.receive(effect)
      case .lifted: other.receive(.lift(effect, to: store))
      case .liftedBack: store.receive(.lift(.lift(effect, to: store), to: other))
      case .mapped: store.bind(id: "binding", to: other, on: \.total) { _ in effect }
      case .instrumented:
        first.action.value.withLock { $0 = { store.receive(effect) } }
        store.receive(.set(\.current, to: 1))
      case .returned: _ = store.receive(.task { effect }).wait()
      }
    }
  }
}

/// An instrument that performs an action at the first event.
private final class FirstEvent: StoreInstrument {
  let action = Shared(Mutex<(@Sendable () -> Void)?>(nil))
  func record(_ event: InstrumentEvent) { action.value.withLock { $0.take() }?() }
}
