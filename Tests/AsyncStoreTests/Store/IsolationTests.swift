import Synchronization
import Testing

@testable import AsyncStore

/// An actor whose jobs are run by hand, also one inside of another.
actor Window {
  final class Loop: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func run() {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  nonisolated let loop = Loop()
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}

@Suite("A store bound to an actor")
struct IsolationTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: A custom actor, on manual scheduling

  @Test("On the actor, the synchronous prefix of an effect is committed before receive returns")
  func law06_prefixIsSynchronousOnTheActor() throws {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let logs = try harness.wait {
      await desk.run { _ in
        store.receive(.concatenate(.log("1"), .update { _ in .log("2") }, .sleep(.seconds(1)), .log("3")))
        let first = store.log
        store.receive(.log("4"))
        return [first, store.log]
      }
    }
    #expect(logs == [["1", "2"], ["1", "2", "4"]])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1", "2", "4", "3"])
    #expect(store.remains == [])
  }

  @Test("Every commit and every observer runs on the actor, wherever the effect comes from")
  func commitsHappenOnTheActor() {
    let desk = Desk()
    let store = harness.store(isolation: desk, mapError: { _ in .set { _ in desk.assertIsolated() } })
    let observed = Note<[Int]>([])
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let check = Effect.set {
      desk.assertIsolated()
      $0.count += 1
    }
    store.bind(id: "b", to: \.count) { value in
      desk.assertIsolated()
      observed.change { $0.append(value) }
      return .none
    }
    store.receive(
      .merge(
        check, .task { check }, .concatenate(.sleep(.seconds(1)), check), .timer(.seconds(1), id: "t") { _ in check },
        .stream(stream) { _ in check }, .fail("x"), .sequence(check, .task { .none }, check),
        .update {
          desk.assertIsolated()
          $0.count += 1
          return check
        },
        .read { _ in
          desk.assertIsolated()
          return check
        }))
    continuation.yield(1)
    harness.advance(by: .seconds(2))
    #expect(store.count == 11)
    #expect(observed.value == Array(0...11))
    store.deactivate()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("Effects received elsewhere commit in a turn on the actor, first in, first out")
  func fifoFromElsewhere() {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    for index in 0..<100 {
      store.receive(index.isMultiple(of: 3) ? .concatenate(.log(index), .sleep(.seconds(1))) : .log(index))
    }
    #expect(store.log == [], "no commit outside of the actor")
    harness.settle()
    #expect(store.log == (0..<100).map(\.description))
    store.deactivate()
  }

  @Test("Effects that waited for their turn commit before all that is received on the actor", arguments: [1, 5_000])
  func law06_turnsComeFirst(count: Int) throws {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let up = harness.store()
    let earlier = Effect.concatenate(effects: (1...count).map { .set(\.count, to: $0) })
    @Sendable func receiveElsewhere(_ effect: Effect) { store.receive(effect) }
    @Sendable func log(_ word: String) -> Effect { .set { $0.log.append("\(word) \($0.count)") } }
    let logs = try harness.wait {
      await desk.run { desk in
        let ways: [(isolated Desk) -> Void] = [
          { _ in store.receive(log("set")) },
          { _ in store.receive(.concatenate(log("list"), log("list"))) },
          { _ in _ = store.update { $0.log.append("update \($0.count)") } },
          { _ in store.receive(.lift(.lift(log("lifted"), to: store), to: up)) },
        ]
        for way in ways {
          store.receive(.set(\.count, to: -1))
          receiveElsewhere(earlier)
          way(desk)
        }
        return store.log
      }
    }
    #expect(logs == ["set", "list", "list", "update", "lifted"].map { "\($0) \(count)" })
    harness.settle()
    #expect(store.log == logs)
    #expect(store.remains == [])
  }

  @Test("A binding's values keep their order on the actor, though the first ones wait for a turn")
  func law16_orderOfTurns() throws {
    let desk = Desk()
    let (up, down) = (harness.store(), harness.store(isolation: desk))
    down.bind(id: "b", to: up, on: \.count) { .log("\($0)") }
    harness.settle()
    @Sendable func receiveElsewhere(_ value: Int) { up.receive(.set(\.count, to: value)) }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere(1)
        receiveElsewhere(2)
        _ = down.receive(.lift(.set(\.count, to: 3), to: up))
      }
    }
    harness.settle()
    #expect(down.log == ["0", "1", "2", "3"])
  }

  @Test("A binding's next value comes after the effect that has led to it in a turn", arguments: [false, true])
  func law17_valueInTheMiddleOfATurn(isLong: Bool) {
    let (up, down) = (harness.store(), harness.store(isolation: Desk()))
    down.bind(id: "b", to: up, on: \.count) { count in
      let lift = Effect.concatenate(.log("1"), .lift(.set(\.count, to: 2), to: up), .log("1 ends"))
      let steps = isLong ? LongPassLawTests.sets(3_000) : .none
      return count == 0 ? .none : .concatenate(count == 1 ? lift : .log("\(count)"), steps, .set(\.other, to: count))
    }
    up.receive(.set(\.count, to: 1))
    harness.settle()
    #expect(down.log == ["1", "1 ends", "2"])
    #expect(down.other == 2)
  }

  @Test("Effects that wait for one turn keep their order, also where the first one sets off a binding to the store")
  func law16_orderWithinATurn() throws {
    let desk = Desk()
    let (up, down) = (harness.store(), harness.store(isolation: desk))
    down.bind(id: "b", to: up, on: \.count) { .log("\($0)") }
    harness.settle()
    @Sendable func receiveElsewhere() {
      down.receive(.concatenate(.log("first"), .lift(.set(\.count, to: 2), to: up), .log("lifted")))
      up.receive(.set(\.count, to: 1))
      down.receive(.update { _ in .log("updated") })
      down.receive(.log("last"))
    }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = down.receive(.log("new"))
      }
    }
    #expect(down.log == ["0", "first", "lifted", "1", "updated", "last", "2", "new"])
    harness.settle()
    #expect(down.log.count == 8)
    down.deactivate()
    #expect(down.remains == [])
  }

  @Test("Effects that are lifted from turn to turn, or end in an error there, take no stack")
  func law23_turnsInTurns() throws {
    let desk = Desk()
    let mapped = Note(0)
    let store = harness.store(
      isolation: desk,
      mapError: { _ in
        mapped.change { $0 += 1 }
        return .none
      })
    let other = harness.store(isolation: desk)
    let count = TestSize.many(10_000)
    let increment = Effect.set { $0.count += 1 }
    for _ in 0..<count {
      store.receive(.concatenate(increment, .lift(increment, to: other)))
      other.receive(.concatenate(increment, .lift(increment, to: store)))
      store.receive(.sequence(increment.compensate(with: .update { _ in .none }), .task { throw Failure("x") }))
    }
    harness.settle()
    #expect(store.count == 3 * count)
    #expect(other.count == 2 * count)
    #expect(mapped.value == count)
    #expect(store.remains == [])
  }

  @Test("Effects that have waited for their turn in a chain of stores, each lifting into the next, take no stack")
  func law23_chainOfTurns() throws {
    let desk = Desk()
    let count = TestSize.many(10_000)
    let stores = (0..<count).map { _ in harness.store(isolation: desk) }
    let last = harness.store(isolation: desk)
    @Sendable func receiveElsewhere() {
      for (store, next) in zip(stores, stores.dropFirst() + [last]) {
        store.receive(.concatenate(.log("turn"), .lift(.log("lifted"), to: next), .log("next")))
      }
    }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = stores[0].receive(.log("new"))
      }
    }
    #expect(stores[0].log == ["turn", "next", "new"])
    #expect(Set(stores.dropFirst().map(\.log)) == [["turn", "next", "lifted"]])
    #expect(last.log == ["lifted"])
    harness.settle()
    #expect(stores.flatMap(\.remains) == [])
  }

  @Test("A turn that comes while another one runs the actor's own loop is taken after it")
  func law06_missedTurn() {
    let window = Window()
    let store = harness.store(isolation: window)
    let (harness, logDuringLoop) = (harness, Note<[String]?>(nil))
    @Sendable func runLoop() {
      for _ in 0..<3 {
        harness.settle()
        window.loop.run()
      }
    }
    store.bind(id: "b", to: \.count) { value in
      guard value == 1 else { return .none }
      Runtime.on(Desk()) { _ = store.receive(.log("missed")) }
      // As a dialog does.
      runLoop()
      logDuringLoop.value = store.log
      return .none
    }
    runLoop()
    store.receive(.set(\.count, to: 1))
    runLoop()
    #expect(logDuringLoop.value == [])
    #expect(store.log == ["missed"])
    store.deactivate()
    #expect(store.remains == [])
  }

  @Test("The next turn waits for the lifts of the one before, however long, also where nobody waits for the turns")
  func law06_turnsWaitForLongLifts() throws {
    let desk = Desk()
    let (store, asked, other) = (harness.store(isolation: desk), harness.store(isolation: desk), harness.store())
    let failing = Effect.race(.fail("x"), .sleep(.seconds(1_000)).id("s"), goal: .firstToSucceed)
    asked.receive(failing.recover { _ in .lift(.log("answer"), to: store) })
    harness.settle()
    try harness.wait {
      await desk.run { _ in
        Self.receiveElsewhere(.concatenate(.log("turn"), .lift(Self.sets(80_000), to: other), .log("long")), store)
        Self.receiveElsewhere(.log("next"), store)
        _ = asked.receive(.cancel("s"))
      }
    }
    harness.settle()
    #expect(store.log == ["turn", "long", "next", "answer"])
    #expect(store.remains + asked.remains + other.remains == [])
  }

  /// Has a store receive an effect as on another actor.
  private static func receiveElsewhere(_ effect: Effect, _ store: JournalStore) {
    Runtime.on(Desk()) { _ = store.receive(effect) }
  }

  private static func sets(_ count: Int) -> Effect { .concatenate(effects: (0..<count).map { .set(\.count, to: $0) }) }

  @Test("A long effect has committed before the next one's turn, even if the end of a lift comes in between")
  func law06_turnsAreNotDivided() {
    let desk = Desk()
    let (store, up) = (harness.store(isolation: desk), harness.store())
    up.receive(.concatenate(.lift(.log("lifted"), to: store), .lift(.log("lifted next"), to: store)))
    store.receive(
      .concatenate(effects: (0..<5_000).map { _ in .set { if $0.log.last != "long" { $0.log.append("long") } } }))
    store.receive(.log("next"))
    harness.settle()
    #expect(store.log.firstIndex(of: "next") == store.log.count - 1)
    #expect(store.log.contains("lifted next"))
  }

  @Test("The effect after a lift has its turn after effects that were received before it")
  func law06_turnAfterALift() throws {
    let desk = Desk()
    let (store, other) = (harness.store(isolation: desk), harness.store(isolation: desk))
    @Sendable func receiveElsewhere() {
      store.receive(.log("first"))
      store.receive(.concatenate(.lift(.set(\.count, to: 1), to: other), .log("second")))
    }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = other.receive(.set(\.count, to: 2))
      }
    }
    harness.settle()
    #expect(store.log == ["first", "second"])
  }

  @Test("A store that is called on an actor lifts into the stores that are bound to it at once")
  func law06_liftOnTheActor() throws {
    let desk = Desk()
    let (store, bound) = (harness.store(), harness.store(isolation: desk))
    let log = try harness.wait {
      await desk.run { _ in
        store.receive(.lift(.log("lifted"), to: bound))
        return bound.log
      }
    }
    #expect(log == ["lifted"])
  }

  enum Local { @TaskLocal static var value = 0 }

  @Test(
    "A very long effect that a task continues with commits on the actor, with the receiver's values",
    arguments: [false, true])
  func law22_handedOver(isBound: Bool) {
    let (desk, count) = (Desk(), TestSize.many(100_000))
    let change = Effect.update {
      if isBound { desk.assertIsolated() }
      $0.count += 1
      return .none
    }
    let long = Effect.concatenate(effects: (0..<count).map { _ in change } + [.task { .log(Local.value) }])
    let store = harness.store(isolation: isBound ? desk : nil, mapError: { _ in long })
    Local.$value.withValue(7) { _ = store.receive(.task { throw Failure("x") }) }
    harness.settle()
    #expect(store.count == count)
    #expect(store.log == ["7"])
    #expect(store.remains == [])
  }

  @Test("A cancel on the actor reaches what waits for its turn, which does not commit before", arguments: 0..<3)
  func law11_cancelBeforeTheTurn(way: Int) throws {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    @Sendable func receiveElsewhere(_ effect: Effect) -> EffectHandle { store.receive(effect) }
    try harness.wait {
      await desk.run { _ in
        let handle = receiveElsewhere(.log("never").id("a"))
        switch way {
        case 0: store.receive(.cancel("a"))
        case 1: handle.cancel()
        default: store.deactivate()
        }
      }
    }
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A cancel from elsewhere works at once, also on what waits for the actor")
  func law07_cancelFromElsewhere() {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let handle = store.receive(.log("never").id("a"))
    store.receive(.cancel("a"))
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    let other = store.receive(.concatenate(.log("never"), .log("never")))
    other.cancel()
    #expect(other.outcomeIfSettled?.word == "cancelled")
    store.receive(.log("after"))
    harness.settle()
    #expect(store.log == ["after"])
    store.receive(.log("never"))
    store.deactivate()
    harness.settle()
    #expect(store.log == ["after"])
    #expect(store.remains == [])
  }

  @Test("Operations don't run on the actor, and their results commit there")
  func operationsRunElsewhere() {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let gate = Gate()
    store.receive(
      .concatenate(
        .log("1"),
        .task {
          await gate.wait()
          return .concatenate(.log("2"), .task { .log("3") })
        }))
    harness.settle()
    gate.open()
    harness.settle()
    #expect(store.log == ["1", "2", "3"])
  }

  @Test("A binding from a store without an actor delivers on the actor, in order and without loss")
  func bindingToAnActor() {
    let desk = Desk()
    let (up, down) = (harness.store(), harness.store(isolation: desk))
    down.bind(id: "b", to: up, on: \.count) { value in
      .set {
        desk.assertIsolated()
        $0.log.append("\(value)")
      }
    }
    for value in 1...10 { up.receive(.set(\.count, to: value)) }
    harness.settle()
    #expect(down.log == (0...10).map(\.description))
  }

  @Test("A reader of a store that is bound to an actor ends with the store")
  func boundReader() {
    let place = Desk()
    var store: JournalStore? = harness.store(isolation: place)
    let iterator = store!.values(of: \.count).makeAsyncIterator()
    let (reader, lease) = (iterator.reader, iterator.lease)
    store = nil
    let reading = harness.start {
      while await reader.next() != nil {}
      withExtendedLifetime(lease) {}
    }
    harness.settle()
    #expect(reading.isFinished)
  }

  @Test("Values that wait for the actor ask for one turn, whatever else is delivered meanwhile")
  func oneTurnForAll() {
    let store = harness.store(isolation: Desk(), instrument: Recorder())
    let downstream = harness.store()
    // Sets the alarm for all that follow.
    store.receive(.sleep(.seconds(1)))
    harness.settle()
    downstream.bind(id: "b", to: store, on: \.count) { .log($0) }
    let turns = harness.runnableCount
    for _ in 0..<10 { store.receive(.sleep(.seconds(1))) }
    #expect(turns == 1)
    #expect(harness.runnableCount == turns)
    harness.settle()
    #expect(downstream.log == ["0"])
    store.receive(.set(\.count, to: 1))
    harness.settle()
    #expect(downstream.log == ["0", "1"])
  }

  @Test("A binding ends with its upstream that is bound to an actor")
  func boundUpstream() {
    let place = Desk()
    var upstream: JournalStore? = harness.store(isolation: place)
    let downstream = harness.store()
    downstream.bind(id: "b", to: upstream!, on: \.count) { .log($0) }
    upstream = nil
    harness.settle()
    #expect(downstream.inFlight.isEmpty)
  }
}
