import Testing

@testable import AsyncStore

/// Tests of bindings whose effects take so many steps that they go on in tasks of their own.
@Suite("Laws 7, 11, 16 and 17 where the effects of a binding are very long")
struct LongBindingLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// The least number of steps that an endless effect takes before it goes on in a task, with room for other items.
  private static let few = InlineWorkLimit.items / 64 * 60

  /// An effect without an end, which counts in `other`; for a test that fails it has one.
  private static func endless() -> Effect {
    .update { state in
      state.other += 1
      return state.other > 1_000_000 ? .none : endless()
    }
  }

  /// An effect with more steps than the delivering thread takes.
  private static func long(_ last: Effect, _ steps: Int = InlineWorkLimit.items + 4_000) -> Effect {
    .concatenate(
      .concatenate(
        effects: (1...steps).map { _ in
          .update {
            $0.other += 1; return .none
          }
        }), last)
  }

  @Test("An endless effect delays no effect of the upstream store, and nobody else who observes it")
  func law11_othersGoOn() {
    let (store, bound, other) = (harness.store(), harness.store(), harness.store())
    bound.bind(id: "endless", to: store, on: \.count) { $0 == 1 ? Self.endless() : .log($0) }
    other.bind(id: "b", to: store, on: \.count) { .log($0) }
    let first = store.receive(.set(\.count, to: 1))
    let next = store.receive(.concatenate(.sleep(.seconds(1)), .set(\.count, to: 2)))
    #expect(first.isSettled && other.log == ["0", "1"])
    harness.spend(.seconds(1))
    step(until: { next.isSettled })
    #expect(next.isSettled && other.log == ["0", "1", "2"])
    #expect(bound.log == ["0"] && (Self.few..<1_000_000).contains(bound.other))
    bound.receive(.cancel("endless"))
    harness.settle()
    #expect(bound.log == ["0"] && bound.remains == [])
    store.deactivate()
    #expect(store.remains == [])
  }

  @Test("An endless effect does not keep the actor of the upstream store, from wherever that commits")
  func law11_actorGoesOn() {
    let desk = Desk()
    let (store, bound) = (harness.store(isolation: desk), harness.store())
    bound.bind(id: "endless", to: store, on: \.count) { $0 % 2 == 1 ? Self.endless() : .none }
    // In a turn on the actor.
    let first = store.receive(.set(\.count, to: 1))
    step(until: { first.isSettled })
    let counts = harness.start {
      await desk.run { _ in
        store.receive(.set(\.count, to: 2))
        bound.receive(.cancel("endless"))
        bound.bind(id: "endless", to: store, on: \.count) { $0 % 2 == 1 ? Self.endless() : .none }
        store.receive(.set(\.count, to: 3))
        return store.count
      }
    }
    step(until: { counts.isFinished })
    #expect(first.isSettled && counts.value == 3)
    let last = store.receive(.set(\.count, to: 4))
    step(until: { last.isSettled })
    #expect(last.isSettled && store.count == 4)
    #expect((2 * Self.few..<1_000_000).contains(bound.other))
    bound.deactivate()
    harness.settle()
    #expect(bound.remains == [])
  }

  private func step(until condition: () -> Bool) { for _ in 0..<200 where !condition() { harness.step() } }

  @Test("The effects of the next values wait for a very long one, and for what it has lifted")
  func law17_inOrder() {
    let (store, bound, third) = (harness.store(), harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      switch count {
      case 1: Self.long(.log(count))
      case 3: .concatenate(.lift(Self.long(.log(count)), to: third), .log(count))
      default: .concatenate(.lift(.log(count), to: third), .log(count))
      }
    }
    for count in 1...6 { store.receive(.set(\.count, to: count)) }
    #expect(bound.log == ["0"])
    harness.settle()
    #expect(bound.log == (0...6).map(\.description))
    #expect(third.log == ["0"] + (2...6).map(\.description))
    store.receive(.set(\.count, to: 7))
    #expect(bound.log.last == "7")
    bound.receive(.cancel("b"))
    #expect(bound.remains == [] && third.remains == [] && store.remains == [])
  }

  @Test("Effects that have waited for a very long one give others a turn, also where there is no end of them")
  func law11_waitingEffectsGiveTurns() {
    let (store, bound) = (harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      switch count {
      case 1: Self.long(.none)
      // A cycle that does not settle; for a test that fails it has an end.
      case 1_000..<100_000: .concatenate(.set(\.count, to: count), .lift(.set(\.count, to: count + 1), to: store))
      default: .set(\.count, to: count)
      }
    }
    for count in 1...1_000 { store.receive(.set(\.count, to: count)) }
    #expect(bound.count == 0)
    for _ in 0..<100 where bound.count < 10_000 {
      let count = bound.count
      harness.step()
      // The last of those that have waited leads to the cycle, 1,000 rounds of which are no more than any other's.
      #expect(bound.count - count <= (count < 935 ? 65 : 1_065))
    }
    #expect((10_000..<20_000).contains(bound.count))
    bound.receive(.cancel("b"))
    harness.settle()
    #expect(bound.count < 20_000 && bound.remains == [] && store.remains == [])
  }

  @Test("Once a very long effect has settled, nothing waits for what it has let continue", arguments: [false, true])
  func law11_effectsOfOthers(isEndless: Bool) {
    let (store, bound) = (harness.store(), harness.store())
    let next = isEndless ? Self.endless() : Self.long(.log("next"))
    // It comes to wait between two steps of the first value's effect, and goes on in that effect's pass.
    bound.receive(
      .task(id: "op") {
        await withTaskCancellationHandler {
          try? await Gate().waitUnlessCancelled()
        } onCancel: {
          bound.receive(.concatenate(.join("q"), next).id("next"))
        }
        return .none
      })
    harness.settle()
    bound.bind(id: "b", to: store, on: \.count) { count in
      switch count {
      case 1: .concatenate(.cancel("op"), Self.long(.log(1), 1_100)).id("q")
      case 2: .concatenate(.set { $0.count = 2 }, .log(2))
      default: .set { $0.count = count }
      }
    }
    for count in 1...3 { store.receive(.set(\.count, to: count)) }
    step(until: { bound.count == 3 })
    #expect(bound.count == 3 && bound.log.filter { $0 != "next" } == ["1", "2"])
    #expect(bound.other < 1_000_000)
    bound.receive(.cancel("next"))
    harness.settle()
    bound.receive(.cancel("b"))
    #expect(bound.count == 3 && bound.remains == [])
  }

  @Test("The next effects wait for a very long one, and not for what joins that in the task where it ends")
  func law11_joiner() {
    let (store, bound) = (harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      count == 1 ? Self.long(.log(1)).id("q") : .log(count)
    }
    store.receive(.set(\.count, to: 1))
    bound.receive(.concatenate(.join("q"), Self.endless()).id("next"))
    for count in 2...3 { store.receive(.set(\.count, to: count)) }
    #expect(bound.log == ["0"])
    step(until: { bound.log.count == 4 })
    #expect(bound.log == ["0", "1", "2", "3"] && bound.other < 1_000_000)
    bound.receive(.cancel("next"))
    harness.settle()
    bound.receive(.cancel("b"))
    #expect(bound.remains == [] && store.remains == [])
  }

  @Test("An effect that continues in a task still follows from the deliveries that led to it")
  func law17_trail() {
    let (store, bound) = (harness.store(), harness.store())
    let hops = Note<[Int?]>([])
    bound.bind(id: "there", to: store, on: \.count) { count in
      count == 1 ? Self.long(.set(\.count, to: 1)) : .set(\.count, to: count)
    }
    store.bind(id: "back", to: bound, on: \.count) { count in
      hops.change { $0.append(DeliveryLoop.trail?.hop.count) }
      return .set(\.count, to: min(count + 1, 2))
    }
    harness.settle()
    #expect(hops.value == [0, 2, 4])
    #expect(store.count == 2 && bound.count == 2)
  }

  @Test("A cycle that does not settle is reported though its effects continue in tasks")
  func law17_cycle() {
    let recorder = Recorder()
    let (store, bound) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let last = Note<(count: Int, trail: DeliveryLoop.Trail?)>((0, nil))
    bound.bind(id: "there", to: store, on: \.count) { count in
      last.value = (count, DeliveryLoop.trail)
      return .none
    }
    store.bind(id: "back", to: bound, on: \.count) { .set(\.count, to: $0 + 1) }
    for _ in 0..<1_500 {
      // As the task does that a very long effect goes on in.
      let (count, trail) = last.value
      DeliveryLoop.follow(trail) { bound.receive(.set(\.count, to: count)) }
      harness.settle()
    }
    #expect(recorder.lines.filter { $0.contains("unsettled") } == ["unsettled back, there"])
  }

  @Test("The report of a cycle names none that only watch, also if deliveries come in the middle of a task")
  func law17_watcherOfACycleInTasks() {
    let reports = Recorder()
    let (store, other, watcher) = (harness.store(instrument: reports), harness.store(), harness.store())
    watcher.bind(id: "watcher", to: store, on: \.other) { .set(\.count, to: $0) }
    store.bind(id: "cycle", to: store, on: \.count) { count in
      // It goes on for a while after the report.
      if count == 4_000 { return .none }
      // In one round it goes on in a task, which delivers once more before the cycle goes on by a lift.
      let wait = count == 500 ? Self.long(.none) : .none
      return .concatenate(
        wait, .set(\.other, to: count), wait, .lift(.set(\.count, to: count), to: other), .set(\.count, to: count + 1))
    }
    harness.settle()
    #expect(store.count == 4_000 && other.count == 3_999)
    #expect(Set(reports.lines.filter { $0.contains("unsettled") }) == ["unsettled cycle"])
    store.deactivate()
  }

  private struct AlwaysReady: AsyncSequence, AsyncIteratorProtocol {
    var count: Int
    func makeAsyncIterator() -> AlwaysReady { self }
    mutating func next() async -> Int? {
      count -= 1
      return count < 0 ? nil : count
    }
  }

  @Test("A stream whose sequence always has an element gives others of its executor a turn")
  func law17_streamThatNeverSuspends() {
    let executor = HandExecutor()
    let (store, seen) = (JournalStore(state: Journal(), env: (), executor: executor), Note(0))
    store.receive(.stream(AlwaysReady(count: 1_000)) { _ in .set { $0.count += 1 } })
    Task(executorPreference: executor) { seen.value = store.count }
    executor.run()
    #expect((1..<1_000).contains(seen.value))
    #expect(store.count == 1_000)
  }

  @Test("The effects after a very long one that is cancelled begin in order, and not in the canceller's call")
  func law16_cancelledEffect() {
    let (store, bound, third) = (harness.store(), harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      switch count {
      case 1: .lift(Self.long(.log(1)), to: third).id("inner")
      case 2: .concatenate(.log(20), Self.long(.log(2)))
      default: .log(count)
      }
    }
    for count in 1...4 { store.receive(.set(\.count, to: count)) }
    bound.receive(.cancel("inner"))
    store.receive(.set(\.count, to: 5))
    #expect(bound.log == ["0"])
    harness.settle()
    #expect(bound.log == ["0", "20", "2", "3", "4", "5"] && third.log == [])
    bound.receive(.cancel("b"))
    #expect(bound.remains == [] && third.remains == [] && store.remains == [])
  }

  @Test("A store on an actor hands over what its binding lifts elsewhere, and what it does on the upstream's actor")
  func law11_boundToActors() {
    let desk = Desk()
    let (store, bound) = (harness.store(isolation: desk), harness.store(isolation: desk))
    let (up, third) = (harness.store(), harness.store())
    bound.bind(id: "lifting", to: up, on: \.count) { $0 == 1 ? .lift(Self.endless(), to: third) : .none }
    harness.settle()
    let lifting = up.receive(.set(\.count, to: 1))
    #expect(lifting.isSettled && third.other < 1_000_000)
    bound.receive(.cancel("lifting"))
    harness.settle()
    bound.bind(id: "endless", to: store, on: \.count) { $0 == 1 ? Self.endless() : .none }
    harness.settle()
    store.receive(.set(\.count, to: 1))
    let last = store.receive(.set(\.count, to: 2))
    step(until: { last.isSettled })
    #expect(last.isSettled && (Self.few..<1_000_000).contains(bound.other))
    bound.deactivate()
    harness.settle()
    #expect(bound.remains == [] && third.remains == [])
  }

  @Test("An effect of many lifts is no long one: it is complete when the upstream's call returns")
  func law17_manyLifts() {
    let (store, bound, third) = (harness.store(), harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      .concatenate(effects: (0..<count).map { .lift(.log($0), to: third) })
    }
    store.receive(.set(\.count, to: 1_000))
    #expect(third.log.count == 1_000)
    let many = InlineWorkLimit.items + 4_000
    store.receive(.set(\.count, to: many))
    // A lift takes three steps.
    #expect((Self.few / 3..<many).contains(third.log.count))
    harness.settle()
    #expect(third.log.count == 1_000 + many)
    bound.deactivate()
    #expect(bound.remains == [] && third.remains == [] && store.remains == [])
  }

  @Test("Only the steps of a very long effect delay the next values, and not what it waits for then")
  func law16_waitsDelayNothing() {
    let (store, bound) = (harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { count in
      count == 1 ? Self.long(.concatenate(.sleep(.seconds(5)), .log(count))) : .log(count)
    }
    for count in 1...3 { store.receive(.set(\.count, to: count)) }
    harness.settle()
    #expect(bound.log == ["0", "2", "3"])
    harness.advance(by: .seconds(5))
    #expect(bound.log == ["0", "2", "3", "1"])
  }

  @Test("The values that wait are not lost when the upstream store ends, and begin nothing after a cancel")
  func law08_waitingValues() {
    for isCancelled in [false, true] {
      let (store, bound) = (harness.store(), harness.store())
      bound.bind(id: "b", to: store, on: \.count) { $0 == 1 ? Self.long(.log(1)) : .log($0) }
      for count in 1...3 { store.receive(.set(\.count, to: count)) }
      store.deactivate()
      if isCancelled { bound.receive(.cancel("b")) }
      harness.settle()
      #expect(bound.log == (isCancelled ? ["0"] : ["0", "1", "2", "3"]))
      #expect(bound.remains == [])
    }
  }

  @Test("The latest value replaces a very long effect at once; one after the other, they wait for all of it")
  func law16_strategies() {
    for strategy in [StreamStrategy.latest, .serial] {
      let (store, bound) = (harness.store(), harness.store())
      bound.bind(id: "b", to: store, on: \.count, strategy: strategy) { count in
        count == 1 ? Self.long(.concatenate(.sleep(.seconds(5)), .log(count))) : .log(count)
      }
      store.receive(.set(\.count, to: 1))
      store.receive(.set(\.count, to: 2))
      #expect(bound.log == (strategy == .latest ? ["0", "2"] : ["0"]))
      harness.advance(by: .seconds(5))
      #expect(bound.log == (strategy == .latest ? ["0", "2"] : ["0", "1", "2"]))
      store.receive(.set(\.count, to: 3))
      #expect(bound.log.last == "3")
      bound.deactivate()
      #expect(bound.remains == [] && store.remains == [])
    }
  }

  @Test("A shutdown drains the values that wait")
  func law19_shutdown() {
    let (store, bound) = (harness.store(), harness.store())
    bound.bind(id: "b", to: store, on: \.count) { $0 == 1 ? Self.long(.log(1)) : .log($0) }
    for count in 1...3 { store.receive(.set(\.count, to: count)) }
    let shutdown = harness.start { try await bound.shutdown(drain: .seconds(10)) }
    harness.settle()
    #expect(shutdown.isFinished && shutdown.error == nil)
    #expect(bound.log == ["0", "1", "2", "3"])
    #expect(bound.remains == [] && store.remains == [])
  }
}
