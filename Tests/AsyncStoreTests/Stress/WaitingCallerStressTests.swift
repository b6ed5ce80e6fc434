import Testing

@testable import AsyncStore

extension StressTests {
  @Suite("Callers who wait, under load")
  struct WaitingCallerStressTests {
    typealias Effect = SlotStore.Effect

    /// The ways in which an order is cancelled while its caller begins it.
    private enum Cancel: Int, CaseIterable { case none, byIdentifier, byPrefix, ofCaller }

    @Test("Orders that tasks wait for are done or undone, whatever cancels them, and nothing of them is left")
    func orders() async throws {
      let population = Population()
      let callers = 4
      do {
        let store = SlotStore(state: Slots(callers, population.canary()), env: population.canary())
        let finished = Tally()
        await withDiscardingTaskGroup { group in
          for caller in 0..<callers {
            group.addTask {
              var generator = SplitMix64(seed: .random(in: 0...UInt64.max))
              for number in 0..<Stress.count(1_000) {
                let id = EffectID("order").appending(caller).appending(number)
                let effect = Self.order(of: caller, &generator).id(id)
                let call = Task { await store.run(effect) }
                Stress.spin(&generator, upTo: 8_000)
                switch Cancel.allCases[Int(generator.next() % 4)] {
                case .none: break
                case .byIdentifier: store.receive(.cancel(id))
                case .byPrefix: store.receive(.cancel(prefix: EffectID("order").appending(caller)))
                case .ofCaller: call.cancel()
                }
                _ = await call.value
                finished.add()
              }
            }
          }
        }
        #expect(finished.value == callers * Stress.count(1_000))
        #expect(store.current == 0, "members that were neither kept nor undone")
        #expect(store.inFlight.isEmpty)
        #expect(store.runtime.lock { $0.machine.fibers.liveCount } == 0)
      }
      #expect(await population.isExtinct())
    }

    /// An order that takes something, waits for operations of several kinds, and gives it back as its last member or
    /// when it is undone.
    private static func order(of caller: Int, _ generator: inout SplitMix64) -> Effect {
      let operation: Effect
      switch generator.next() % 5 {
      case 0: operation = .task { .none }
      case 1:
        operation = .task {
          await Task.yield()
          return .task { .none }
        }
      case 2: operation = .merge(.task { .none }, .task { .none })
      case 3: operation = .task { .none }.timeout(.seconds(60)).retry(.constant(.zero).limitedTo(attempts: 2))
      default: operation = .concatenate(.sleep(.microseconds(1)), .task { .none })
      }
      return .sequence(
        .set { $0.current += 1 }.compensate(with: .set { $0.current -= 1 }),
        operation,
        .set { slots in
          slots.current -= 1
          slots.count(caller)
        }.compensate(with: .set { $0.current += 1 }),
        operation)
    }
  }
}
