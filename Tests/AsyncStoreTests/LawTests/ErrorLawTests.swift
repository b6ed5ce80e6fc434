import Testing

@testable import AsyncStore

@Suite("Law 12: errors")
struct ErrorLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// A store whose `mapError` counts its calls by error and answers with a line.
  func store(_ calls: Note<[String]>, instrument: (any StoreInstrument)? = nil) -> JournalStore {
    harness.store(instrument: instrument) { error in
      calls.change { $0.append("\(error)") }
      return .log("mapped")
    }
  }

  @Test("An error goes to mapError exactly once, and the effect it returns takes the failed effect's place")
  func law12_mapErrorExactlyOnce() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let handle = store.receive(.concatenate(.log("1"), .fail("x"), .log("2"), .logTask("3")).id("a"))
    harness.settle()
    #expect(calls.value == ["x"])
    #expect(store.log == ["1", "mapped", "2", "3"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.remains == [])
  }

  @Test("The mapped effect has the identifier, the cancellation and the place of the failed one")
  func law12_mappedEffectHasItsPlace() {
    let store = harness.store(mapError: { _ in .concatenate(.sleep(.seconds(1)), .log("mapped")) })
    store.receive(.concatenate(.fail("x"), .log("next")).id("a"))
    harness.advance(by: .milliseconds(500))
    #expect(store.log == [])
    store.receive(.concatenate(.fail("y"), .log("next")).id("b"))
    harness.settle()
    store.receive(.cancel("b"))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["mapped", "next"])
  }

  @Test("An error of what mapError returned goes to mapError again")
  func law12_mappedEffectMayFail() {
    let store = harness.store(mapError: { error in
      error as? Failure == Failure("x") ? .concatenate(.log("x"), .fail("y")) : .log("\(error)")
    })
    store.receive(.concatenate(.fail("x"), .log("next")))
    harness.settle()
    #expect(store.log == ["x", "y", "next"])
  }

  @Test("Without mapError the instrument and the handle get an error, and the rest continues")
  func law12_withoutMapError() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let handle = store.receive(.concatenate(.fail("x"), .fail("y"), .log("next")))
    harness.settle()
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(recorder.lines.filter { $0.hasPrefix("failed") } == ["failed task: x", "failed task: y"])
  }

  @Test("A CancellationError goes to mapError, and its effect runs in the nearest enclosing scope that is alive")
  func law12_cancellationErrorRunsInTheLivingScope() {
    let calls = Note<[String]>([])
    let store = harness.store(mapError: { error in
      calls.change { $0.append("\(error)") }
      return .concatenate(.log("mapped"), .sleep(.seconds(1)), .log("late"))
    })
    let gate = Gate()
    let operation = Effect.task {
      try await gate.waitUnlessCancelled()
      return .log("never")
    }
    let handle = store.receive(
      .concatenate(.concatenate(operation, .log("never")).id("inner"), .log("next")).id("outer"))
    harness.settle()
    store.receive(.cancel("inner"))
    harness.settle()
    #expect(calls.value == ["CancellationError()"])
    #expect(store.log == ["mapped"], "the outer scope waits for it as it waits for the inner one")
    #expect(store.inFlight.contains { $0.identifier == "outer" })
    harness.advance(by: .seconds(1))
    #expect(store.log == ["mapped", "late", "next"])
    #expect(handle.isSettled)
    #expect(store.remains == [])
  }

  @Test("The effect that a CancellationError maps to dies with the scope that adopted it")
  func law12_adoptedEffectDiesWithItsScope() {
    let store = harness.store(mapError: { _ in .concatenate(.sleep(.seconds(1)), .log("never")) })
    let gate = Gate()
    store.receive(
      .task {
        try await gate.waitUnlessCancelled()
        return .none
      }.id("inner").append(.sleep(.seconds(5))).id("outer"))
    harness.settle()
    store.receive(.cancel("inner"))
    harness.settle()
    store.receive(.cancel("outer"))
    harness.advance(by: .seconds(9))
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("The mapped effect runs in the store if the whole tree was cancelled")
  func law12_mappedAfterTheTreeIsGone() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let gate = Gate()
    let handle = store.receive(
      .task {
        try await gate.waitUnlessCancelled()
        return .none
      })
    harness.settle()
    handle.cancel()
    harness.settle()
    #expect(calls.value.count == 1)
    #expect(store.log == ["mapped"])
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.remains == [])
  }

  @Test("After deactivate an error is mapped but not interpreted")
  func law12_notAfterDeactivate() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let (first, second) = (Gate(), Gate())
    store.receive(
      .task {
        try await first.waitUnlessCancelled()
        return .none
      })
    store.receive(
      .task {
        await second.wait()
        throw Failure("late")
      })
    harness.settle()
    store.deactivate()
    harness.settle()
    store.activate()
    second.open()
    harness.settle()
    #expect(calls.value == ["CancellationError()", "late"])
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A result that comes after the cancel is dropped, and is no error")
  func law12_lateResultIsDropped() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let gate = Gate()
    store.receive(.logTask("never", after: gate).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.settle()
    #expect(calls.value == [])
    #expect(store.log == [])
  }

  @Test("An operation that never began has no error")
  func law12_notBegunHasNoError() {
    let calls = Note<[String]>([])
    let store = store(calls)
    store.receive(.task(id: "a") { throw CancellationError() })
    store.receive(.cancel("a"))
    harness.settle()
    #expect(calls.value == [])
    #expect(store.log == [])
  }

  @Test("Cancelled sleeps, debounces, timers, streams and bindings end without mapError")
  func law12_waitsEndWithoutMapError() {
    let calls = Note<[String]>([])
    let (store, up) = (store(calls), harness.store())
    let (stream, _) = AsyncStream<Int>.makeStream()
    store.receive(
      .merge(
        .sleep(.seconds(5)), .debounce({ .none }, for: .seconds(5), id: "d"),
        .timer(.seconds(5), id: "t") { _ in .none },
        .stream(stream) { _ in .none }
      ).id("a"))
    store.bind(id: "b", to: up, on: \.count) { _ in .none }
    harness.settle()
    store.receive(.cancelAll())
    harness.settle()
    #expect(calls.value == [])
    #expect(store.remains == [])
  }

  @Test("A stream that throws sends its error to mapError once")
  func law12_streamFails() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    store.bind(id: "s", stream: stream) { .log($0) }
    continuation.yield(1)
    continuation.finish(throwing: Failure("x"))
    harness.settle()
    #expect(calls.value == ["x"])
    #expect(store.log == ["1", "mapped"])
    #expect(store.remains == [])
  }

  // MARK: Handlers nearer than mapError

  @Test("Recover takes the place of mapError, nearest first")
  func recoverIsNearest() {
    let calls = Note<[String]>([])
    let store = store(calls)
    let inner = Effect.concatenate(.fail("x"), .log("after x")).recover {
      .concatenate(.log("inner \($0)"), .fail("y"))
    }
    store.receive(
      .concatenate(inner, .fail("z")).recover { .concatenate(.log("outer \($0)"), .fail("w")) })
    harness.settle()
    #expect(store.log == ["inner x", "outer y", "mapped", "after x", "outer z", "mapped"])
    #expect(calls.value == ["w", "w"])
    #expect(store.remains == [])
  }

  @Test("Finally runs after success, failure and cancellation, but not after deactivate")
  func finallyRunsHoweverItEnded() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("fine").finally(.log("1")))
    store.receive(.fail("x").finally(.logTask("2")))
    harness.settle()
    store.receive(.logTask("never", after: gate).finally(.log("3")).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    #expect(store.log == ["fine", "1", "2"], "the operation has not returned")
    gate.open()
    harness.settle()
    #expect(store.log == ["fine", "1", "2", "3"])
    store.receive(.sleep(.seconds(9)).finally(.log("never")))
    store.deactivate()
    harness.settle()
    #expect(store.log == ["fine", "1", "2", "3"])
    #expect(store.remains == [])
  }

  @Test("An outer finally comes after the inner one, even after a cancel")
  func law12_outerFinallyComesAfterTheInnerOne() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).finally(.log("inner")).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["inner", "outer"])
  }

  @Test("An outer finally comes after an inner one that waits, even after a cancel")
  func law12_outerFinallyWaitsForTheInnerOne() {
    let store = harness.store()
    store.receive(
      .sleep(.seconds(9)).finally(.concatenate(.sleep(.seconds(1)), .log("inner"))).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["inner", "outer"])
  }

  @Test("With `serial`, what waits still runs after the sequence has thrown")
  func law12_serialBacklogOutlivesTheError() {
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

  @Test("The effect that a stream's error maps to does not wait for the effects of the stream's values")
  func law12_streamErrorIsMappedAtOnce() {
    let store = harness.store(mapError: { .log("\($0)") })
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    store.receive(.stream(stream) { _ in .sleep(.seconds(60)) })
    source.yield(1)
    source.finish(throwing: Failure("x"))
    harness.settle()
    #expect(store.log == ["x"])
  }

  @Test("A handler's effect fails past that handler, also in its scope's place")
  func law12_answerInItsScopesPlaceFailsPastItsHandler() {
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

  @Test("A cleanup of a handler's effect fails past that handler, also if the effect was cancelled", arguments: [0, 1])
  func law12_cleanupOfAnAnswerFailsPastItsHandler(kind: Int) {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let calls = Note(0)
    store.receive(
      Effect.fail("x").recover { _ in
        calls.change { $0 += 1 }
        let pause = Effect.sleep(.seconds(9))
        let answer =
          kind == 0 ? pause.finally(.fail("y")) : Effect.sequence(Effect.log("1").compensate(with: .fail("y")), pause)
        return answer.id("answer")
      })
    harness.settle()
    store.receive(.cancel("answer"))
    harness.settle()
    #expect(calls.value == 1)
    #expect(store.log == (kind == 0 ? [] : ["1"]) + ["mapped y"])
    #expect(store.remains == [])
  }
}

extension AsyncStore.Effect where State == Journal, Env == Void {
  /// This effect, and then another one.
  fileprivate func append(_ next: Self) -> Self { .concatenate(self, next) }
}
