import Testing

@testable import AsyncStore

/// What a review found: each test fails for a reason of its own.
@Suite("Review")
struct ReviewTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @TaskLocal static var value = 0

  // MARK: Strategies

  @Test("Serial: what waits still runs after the sequence has thrown")
  func serialThrow() {
    let store = harness.store(mapError: { .log("\($0)") })
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    store.bind(id: "s", stream: stream, strategy: .serial) { .concatenate(.sleep(.seconds(1)), .log($0)) }
    source.yield(1)
    source.yield(2)
    source.yield(3)
    source.finish(throwing: Failure("x"))
    harness.advance(by: .seconds(9))
    #expect(store.log.filter { $0 != "x" } == ["1", "2", "3"])
  }

  // MARK: Barrier through lift

  // MARK: finally

  @Test("An outer finally comes after the inner one, also after a cancel (sets)")
  func nestedFinallySets() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).finally(.log("inner")).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["inner", "outer"])
  }

  @Test("An outer finally comes after the inner one, also after a cancel (waits)")
  func nestedFinallyWaits() {
    let store = harness.store()
    store.receive(
      .sleep(.seconds(9)).finally(.concatenate(.sleep(.seconds(1)), .log("inner"))).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["inner", "outer"])
  }

  // MARK: Outcomes

  @Test("The cancel of the last member of a concatenate is not a cancel of the whole")
  func tailCancel() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")))
    store.receive(.cancel("pause"))
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A race's member whose last part was cancelled has settled, and wins")
  func tailCancelInRace() {
    let store = harness.store()
    let handle = store.receive(
      .race(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")), .concatenate(.sleep(.seconds(5)), .log("2"))))
    store.receive(.cancel("pause"))
    #expect(handle.isFinished)
    harness.advance(by: .seconds(9))
    #expect(store.log == ["1"])
  }

  @Test("A tree whose first part was committed was not dropped")
  func tailDrop() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).id("a"))
    let handle = store.receive(.concatenate(.log("1"), .log("2").id("a", .keepFirst)))
    #expect(store.log == ["1"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  // MARK: Law 22

  // MARK: Law 24

  @Test("Tracing changes no trace, with errors and late deadlines")
  func tracing() {
    func log(_ instrument: (any Instrument)?) -> [String] {
      let harness = Harness()
      let store = harness.store(instrument: instrument)
      store.receive(
        .concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed), .log("after race")))
      store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
      store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
      harness.jump(by: .seconds(3))
      return store.log
    }
    #expect(log(nil) == log(Recorder()))
  }

  // MARK: Instruments

  // MARK: Actor-bound

  actor Place {}

  // MARK: Orphans

  // MARK: At most n

  @Test("At most one operation runs, also after a cancel")
  func atMost() {
    let store = harness.store()
    let gate = Gate()
    let running = Note(0)
    let most = Note(0)
    let operation = Effect.task {
      running.change { $0 += 1 }
      most.value = max(most.value, running.value)
      await gate.wait()
      running.change { $0 -= 1 }
      return .none
    }
    let handle = store.receive(operation.id("x", .atMost(1)))
    store.receive(operation.id("x", .atMost(1)))
    harness.settle()
    handle.cancel()
    harness.settle()
    #expect(most.value == 1)
    gate.open()
    harness.settle()
  }

  // MARK: Small leaks

  @Test("A join that was cancelled leaves nothing")
  func joiners() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1_000_000)).id("server"))
    for _ in 0..<1000 {
      store.receive(.join("server")).cancel()
    }
    let count = store.runtime.core.withLock { $0.machine.registrations.reduce(0) { $0 + $1.joiners.count } }
    #expect(count == 0)
  }

  @Test("Identifiers that are not equal are not under each other")
  func identifiers() {
    let (a, b) = (EffectID(1), EffectID(UInt8(1)))
    #expect((a == b) == a.isUnder(b))
  }

  @Test("Jitter keeps the limit in time")
  func jitter() {
    let schedule = RetrySchedule.constant(.seconds(4)).limitedTo(elapsed: .seconds(4)).jittered(by: 0.5)
    var generator = SplitMix64(seed: 1)
    for _ in 0..<20 {
      if let delay = schedule.delay(afterAttempt: 1, elapsed: .zero, using: &generator) {
        #expect(delay <= .seconds(4))
      }
    }
  }

  // MARK: Clean-up and replacement

  @Test("The finally of the one that is replaced comes before the new one")
  func replacedFinally() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60))).finally(.log("end")).id("edit")
    store.receive(edit)
    store.receive(edit)
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("Replace after clean-up waits for a finally")
  func replacedAfterFinally() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60)))
      .finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("edit", .replaceAfterCleanup)
    store.receive(edit)
    store.receive(edit)
    harness.advance(by: .seconds(2))
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("A join waits for the finally of what was cancelled")
  func joinFinally() {
    let store = harness.store()
    store.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("x"))
    store.receive(.cancel("x"))
    store.receive(.concatenate(.join("x"), .log("joined")))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["end", "joined"])
  }

  @Test("With mapError too, what follows from a deadline comes before a later deadline")
  func mappedInOrder() {
    let store = harness.store(mapError: { _ in .log("mapped") })
    store.receive(.concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed)))
    store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
    store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
    harness.jump(by: .seconds(3))
    #expect(store.log == ["mapped", "two"])
  }

  @Test("What a stream's error maps to does not wait for the effects of the stream's values")
  func streamErrorAtOnce() {
    let store = harness.store(mapError: { .log("\($0)") })
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    store.receive(.stream(stream) { _ in .sleep(.seconds(60)) })
    source.yield(1)
    source.finish(throwing: Failure("x"))
    harness.settle()
    #expect(store.log == ["x"])
  }

  // MARK: In processes of their own, because they crash

  @Test("Nested retries need no stack")
  func law23_nestedRetries() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: (), mapError: { .log("\($0)") })
      var effect = Effect.fail("x")
      for _ in 0..<1_000 { effect = effect.retry(.constant(.zero).limitedTo(attempts: 0)) }
      await store.run(effect)
    }
  }

  @Test("What a handler answers fails past that handler, also where it takes its scope's place")
  func handlerOfItsOwn() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let calls = Note(0)
    store.receive(
      Effect.merge(.fail("x"), .sleep(.seconds(9))).id("a").recover { _ in
        calls.change { $0 += 1 }
        return calls.value < 5 ? Effect.fail("y").id("a") : .none
      })
    harness.advance(by: .seconds(10))
    #expect(calls.value == 1)
    #expect(store.log == ["mapped y"])
  }
}
