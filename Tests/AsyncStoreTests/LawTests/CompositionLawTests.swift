import Testing

@testable import AsyncStore

@Suite("Laws 1 to 5: composition")
struct CompositionLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 1

  @Test("An empty merge and an empty concatenate are the effect none")
  func law01_emptyCompositionsAreNone() {
    #expect(Effect.merge().isNone)
    #expect(Effect.merge(effects: []).isNone)
    #expect(Effect.concatenate().isNone)
    #expect(Effect.concatenate(effects: []).isNone)
    #expect(Effect.race().isNone)
    let handle = harness.store().receive(.merge(effects: []))
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("None inside a merge or a concatenate changes nothing")
  func law01_noneInsideChangesNothing() {
    let store = harness.store()
    #expect(Effect.merge(.none, .none).isNone)
    #expect(Effect.concatenate(.none, .merge(), .none).isNone)
    #expect(Effect.concatenate(.none, .log("a"), .none).summary.kind == .set)
    store.receive(.concatenate(.none, .logTask("a"), .none, .merge(.none, .logTask("b"), .none), .none, .log("c")))
    harness.settle()
    #expect(store.log == ["a", "b", "c"])
    #expect(store.remains == [])
  }

  @Test("A merge or a concatenate of one effect is that effect")
  func law01_compositionOfOneIsThatOne() {
    let sleep = Effect.sleep(.seconds(1))
    #expect(Effect.merge(sleep).summary == sleep.summary)
    #expect(Effect.concatenate(sleep).summary == sleep.summary)
    #expect(Effect.merge(effects: [sleep], limit: 1).summary == sleep.summary)
  }

  @Test("Members that turn out to be none at run time change nothing either")
  func law01_computedNoneChangesNothing() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(.read { _ in .none }, .update { _ in .none }, .task { .none }, .sleep(.zero), .log("a")))
    harness.settle()
    #expect(store.log == ["a"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  // MARK: Law 2

  @Test("A concatenate's effects run in the same order, however it is nested")
  func law02_concatenateIsAssociative() {
    func lines(_ effect: Effect) -> [String] {
      let store = harness.store()
      store.receive(effect)
      harness.advance(by: .seconds(10))
      return store.log
    }
    let (a, b, c) = (Effect.logTask("a"), Effect.concatenate(.sleep(.seconds(1)), .log("b")), Effect.logTask("c"))
    let flat = lines(.concatenate(a, b, c))
    #expect(flat == ["a", "b", "c"])
    #expect(lines(.concatenate(.concatenate(a, b), c)) == flat)
    #expect(lines(.concatenate(a, .concatenate(b, c))) == flat)
    #expect(lines(.concatenate(.concatenate(.concatenate(a)), .concatenate(.concatenate(b), c))) == flat)
  }

  @Test("Nothing of b begins before every attached descendant of a has settled, to any depth")
  func law02_concatenateIsStrict() {
    let store = harness.store()
    let (first, second) = (Gate(), Gate())
    let deep = Effect.task {
      .merge(
        .task { .concatenate(.sleep(.seconds(1)), .logTask("deep")) },
        .logTask("one", after: first),
        .task { .task { .task { .logTask("two", after: second) } } })
    }
    store.receive(.concatenate(deep, .log("b")))
    harness.settle()
    first.open()
    harness.settle()
    #expect(store.log == ["one"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["one", "deep"])
    second.open()
    harness.settle()
    #expect(store.log == ["one", "deep", "two", "b"])
  }

  @Test("Effects after an operation in a concatenate wait for the effect that the operation returned")
  func law02_waitsForTheReturnedEffect() {
    let store = harness.store()
    store.receive(.concatenate(.task { .sleep(.seconds(5)) }, .log("b")))
    harness.advance(by: .milliseconds(4_999))
    #expect(store.log == [])
    harness.advance(by: .milliseconds(1))
    #expect(store.log == ["b"])
  }

  // MARK: Law 3

  @Test("A merge runs the same effects, however it is nested or ordered")
  func law03_mergeIsAssociativeAndCommutative() {
    func lines(_ effect: Effect) -> [String] {
      let store = harness.store()
      store.receive(effect)
      harness.advance(by: .seconds(10))
      return store.log.sorted()
    }
    let (a, b, c) = (Effect.logTask("a"), Effect.concatenate(.sleep(.seconds(1)), .log("b")), Effect.log("c"))
    let flat = lines(.merge(a, b, c))
    #expect(flat == ["a", "b", "c"])
    #expect(lines(.merge(.merge(a, b), c)) == flat)
    #expect(lines(.merge(a, .merge(b, c))) == flat)
    #expect(lines(.merge(c, b, a)) == flat)
  }

  @Test("A merge settles when all its children have, however each ended")
  func law03_mergeSettlesWithTheLastChild() {
    let store = harness.store(mapError: { .log("error \($0)") })
    let gate = Gate()
    let handle = store.receive(
      .concatenate(
        .merge(.fail("x"), .logTask("never", after: gate).id("a"), .sleep(.seconds(1)), .logTask("fine")), .log("end")))
    harness.settle()
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["error x", "fine"], "the cancelled operation has not returned yet")
    #expect(!handle.isSettled)
    gate.open()
    harness.settle()
    #expect(store.log == ["error x", "fine", "end"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
  }

  @Test("A child that fails or is cancelled leaves its siblings alone")
  func law03_siblingsAreLeftAlone() {
    let store = harness.store()
    store.receive(
      .merge(
        .fail("x"), .concatenate(.sleep(.seconds(2)), .log("never")).id("a"),
        .concatenate(.sleep(.seconds(1)), .log("one"), .sleep(.seconds(2)), .log("two"))))
    harness.advance(by: .seconds(1))
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["one", "two"])
  }

  @Test("A merge with a limit never has more children in flight and begins them in order", arguments: [1, 2, 3, 7, 20])
  func law03_mergeLimit(limit: Int) {
    let store = harness.store()
    let running = Note((now: 0, most: 0))
    let children = (0..<20).map { index in
      Effect.concatenate(
        .log(index),
        .task {
          running.change {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          return .concatenate(
            // Later ones are quicker, so that they don't end in the order in which they begin.
            .sleep(.seconds(30 - index)),
            .task {
              running.change { $0.now -= 1 }
              return .none
            })
        })
    }
    let handle = store.receive(.merge(effects: children, limit: limit))
    harness.advance(by: .seconds(1_000))
    #expect(handle.isSettled)
    #expect(running.value.most == limit)
    #expect(running.value.now == 0)
    #expect(store.log == (0..<20).map(\.description))
  }

  // MARK: Law 4

  @Test("The effect that a task returns is cancelled under the task's identifier")
  func law04_returnedEffectHasTheSameIdentifier() {
    let store = harness.store()
    store.receive(.task(id: "a") { .task { .concatenate(.sleep(.seconds(1)), .log("never")) } })
    harness.settle()
    #expect(store.inFlight.map(\.identifier).contains("a"))
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(2))
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("The effect that a task returns keeps its place in a concatenate and in its handle")
  func law04_returnedEffectKeepsItsPlace() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(.task { .merge(.logTask("1"), .task { .sleep(.seconds(1)) }) }, .log("2")))
    harness.settle()
    #expect(!handle.isSettled)
    #expect(store.log == ["1"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1", "2"])
    #expect(handle.isSettled)
  }

  @Test("A new effect under the identifier replaces what the task returned")
  func law04_returnedEffectIsReplaced() {
    let store = harness.store()
    store.receive(.task(id: "a") { .concatenate(.sleep(.seconds(1)), .log("old")) })
    harness.settle()
    store.receive(.task(id: "a") { .log("new") })
    harness.advance(by: .seconds(2))
    #expect(store.log == ["new"])
  }

  // MARK: Law 5

  @Test("A timer counts as settled once it has started")
  func law05_detachedEffectsDontBlock() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(.timer(.seconds(1), id: "t") { .log($0.index) }, .logTask("next")))
    harness.settle()
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    harness.advance(by: .seconds(2))
    #expect(store.log == ["next", "1", "2"])
    store.receive(.cancel("t"))
    #expect(store.remains == [])
  }

  @Test("A timer dies with the scope that started it, also after the scope's attached part has settled")
  func law05_timerDiesWithItsScope() {
    let store = harness.store()
    store.receive(.concatenate(.timer(.seconds(1), id: "t") { .log($0.index) }, .log("start")).id("scope"))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["start", "1"])
    store.receive(.cancel("scope"))
    harness.advance(by: .seconds(5))
    #expect(store.log == ["start", "1"])
    #expect(store.remains == [])
  }

  @Test("A timer that a task returned dies with the task's scope")
  func law05_timerOfATaskDiesWithItsScope() {
    let store = harness.store()
    store.receive(.task(id: "a") { .timer(.seconds(1), id: "t") { .log($0.index) } })
    harness.advance(by: .seconds(1))
    store.receive(.task(id: "a") { .log("new") })
    harness.advance(by: .seconds(5))
    #expect(store.log == ["1", "new"])
    #expect(store.remains == [])
  }

  @Test("A stream does not block what follows it")
  func law05_streamsDontBlock() {
    let store = harness.store()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let handle = store.receive(.concatenate(.stream(stream) { .log($0) }, .log("next")))
    harness.settle()
    #expect(handle.isSettled)
    continuation.yield(7)
    harness.settle()
    #expect(store.log == ["next", "7"])
    continuation.finish()
    harness.settle()
    #expect(store.remains == [])
  }
}
