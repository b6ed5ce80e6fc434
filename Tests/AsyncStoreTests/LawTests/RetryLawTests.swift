import Testing

@testable import AsyncStore

@Suite("Laws 15 and 23: a retry and its attempts")
struct RetryLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("An error for which the condition does not hold is not retried")
  func law15_condition() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let (calls, asked) = (Note(0), Note<[String]>([]))
    let failing = Effect.task {
      calls.change { $0 += 1 }
      throw Failure(calls.value < 3 ? "again" : "fatal")
    }
    let handle = store.receive(
      failing.retry(
        .constant(.seconds(1)),
        while: { error in
          asked.change { $0.append("\(error)") }
          return (error as? Failure)?.description == "again"
        }))
    harness.advance(by: .seconds(10))
    #expect(calls.value == 3)
    #expect(asked.value == ["again", "again", "fatal"])
    #expect(store.log == ["mapped fatal"])
    #expect(handle.outcomeIfSettled?.word == "failed: fatal")
    #expect(store.remains == [])
  }

  @Test("The condition of a retry is asked outside of the lock, and may cancel the retry that asks")
  func law15_conditionCancels() {
    let store = harness.store(mapError: { _ in .log("never") })
    let calls = Note(0)
    let failing = Effect.task {
      calls.change { $0 += 1 }
      throw Failure("x")
    }
    let handle = store.receive(
      failing.retry(
        .constant(.seconds(1)),
        while: { [weak store] _ in
          store?.receive(.concatenate(.cancel("a"), .log("asked")))
          return true
        }
      ).id("a"))
    harness.advance(by: .seconds(10))
    #expect(calls.value == 1)
    #expect(store.log == ["asked"])
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.remains == [])
  }

  @Test("An operation knows its attempt's number and the error of the one before")
  func law15_attemptIsKnown() {
    let store = harness.store()
    let attempts = Note<[String]>([])
    store.receive(
      .task(retrying: .constant(.seconds(1)).limitedTo(attempts: 5)) { attempt in
        attempts.change { $0.append("\(attempt)") }
        if attempt.number < 3 { throw Failure("no \(attempt.number)") }
        return .log("done")
      })
    harness.advance(by: .seconds(10))
    #expect(attempts.value == ["attempt 1", "attempt 2, after no 1", "attempt 3, after no 2"])
    #expect(store.log == ["done"])
    #expect(store.remains == [])
  }

  @Test("Only the operation is retried, and not the effect that it returns", arguments: [Duration.zero, .seconds(1)])
  func law15_onlyTheOperation(delay: Duration) {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let calls = Note(0)
    let handle = store.receive(
      .concatenate(
        .task(retrying: .constant(delay)) { attempt in
          calls.change { $0 += 1 }
          if attempt.number == 1 { throw Failure("operation") }
          return .concatenate(.log("returned"), .fail("follow-up"), .log("after"))
        }, .log("next")))
    harness.advance(by: .seconds(10))
    #expect(calls.value == 2)
    #expect(store.log == ["returned", "mapped follow-up", "after", "next"])
    #expect(handle.outcomeIfSettled?.word == "failed: follow-up")
    #expect(store.remains == [])
  }

  @Test("An operation that is retried continues with another operation, which is not")
  func law15_operationAfterAttempts() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    store.receive(
      .task(retrying: .constant(.zero)) { attempt in
        if attempt.number < 3 { throw Failure("x") }
        return .task { throw Failure("y") }
      })
    harness.settle()
    #expect(store.log == ["mapped y"])
    #expect(store.remains == [])
  }

  @Test("The last error of an operation's attempts goes to the nearest handler")
  func law15_attemptsGiveUp() {
    let store = harness.store()
    let attempts = Effect.task(
      retrying: .constant(.seconds(1)).limitedTo(attempts: 9), while: { ($0 as? Failure) != Failure("3") }
    ) { throw Failure("\($0.number)") }
    store.receive(attempts.recover { .log("recovered \($0)") })
    harness.advance(by: .seconds(10))
    #expect(store.log == ["recovered 3"])
    #expect(store.remains == [])
  }

  @Test("The environment's operation is retried with the environment and the attempt")
  func law15_environment() {
    let store = harness.store(of: Journal(), env: "service")
    store.receive(
      .perform(retrying: .constant(.seconds(1))) { service, attempt in
        if attempt.number < 2 { throw Failure("x") }
        return .append("\(service) \(attempt.number)", to: \.log)
      })
    harness.advance(by: .seconds(1))
    #expect(store.log == ["service 2"])
    #expect(store.remains == [])
  }

  @Test("A cancel during a delay or an attempt makes no further attempt", arguments: [false, true])
  func law15_attemptsCancelled(isRunning: Bool) {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let (gate, calls) = (Gate(), Note(0))
    store.receive(
      Effect.task(retrying: .constant(.seconds(1))) { _ in
        calls.change { $0 += 1 }
        if isRunning { await gate.wait() }
        throw Failure("x")
      }.id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.advance(by: .seconds(10))
    #expect(calls.value == 1)
    // Law 12: the error of a cancelled operation is mapped.
    #expect(store.log == (isRunning ? ["mapped x"] : []))
    #expect(store.remains == [])
  }

  @Test("Each attempt and each delay is an event of the instrument")
  func law15_instrument() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let schedule = RetrySchedule.exponential(first: .seconds(1)).limitedTo(attempts: 3)
    store.receive(
      Effect.task(retrying: schedule) { attempt in
        if attempt.number < 3 { throw Failure("x\(attempt.number)") }
        return .none
      }.id("a"))
    harness.advance(by: .seconds(10))
    #expect(
      recorder.lines == [
        "attempted [a] task: attempt 1", "begun [a] task", "settled [a] task: failed: x1",
        "backed off [a] task 1 x1 1.0 seconds",
        "attempted [a] task: attempt 2, after x1", "begun [a] task", "settled [a] task: failed: x2",
        "backed off [a] task 2 x2 2.0 seconds",
        "attempted [a] task: attempt 3, after x2", "begun [a] task", "settled [a] task: finished",
        "attempts ended [a] task: finished",
      ])
    recorder.clear()
    store.receive(Effect.fail("y").retry(.constant(.seconds(1)).limitedTo(attempts: 2)).id("b"))
    harness.advance(by: .seconds(10))
    #expect(
      recorder.lines.filter { $0.contains("retry") } == [
        "attempted [b] retry: attempt 1", "backed off [b] retry 1 y 1.0 seconds",
        "attempted [b] retry: attempt 2, after y", "attempts ended [b] retry: failed: y", "failed [b] retry: y",
      ])
    #expect(store.remains == [])
  }

  @Test("An instrument is notified of the end of a cancelled retry once its operations have returned")
  func law15_endOfACancelledRetry() throws {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    let operation = Effect.task {
      await gate.wait()
      return .none
    }
    store.receive(operation.retry(.constant(.seconds(1))).id("a"))
    store.receive(
      Effect.task(retrying: .constant(.seconds(1))) { _ in
        await gate.wait()
        return .none
      }.id("c"))
    store.receive(Effect.fail("x").retry(.constant(.seconds(1))).id("b"))
    harness.settle()
    recorder.clear()
    store.receive(.cancelAll())
    harness.settle()
    #expect(recorder.ends == ["attempts ended [b] retry: cancelled"])
    recorder.clear()
    gate.open()
    harness.settle()
    #expect(
      recorder.ends == [
        "settled [a] task: cancelled", "attempts ended [a] retry: cancelled", "settled [c] task: cancelled",
        "attempts ended [c] task: cancelled",
      ])
    let operations = recorder.events.filter { if case .settled = $0.kind { true } else { false } }
    #expect(operations.allSatisfy { $0.effect?.attempt?.number == 1 })
    #expect(store.remains == [])
  }

  @Test("An instrument is notified of a delay of zero")
  func law15_zeroDelay() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.receive(Effect.fail("x").retry(.constant(.zero).limitedTo(attempts: 2)))
    harness.settle()
    let delays = recorder.events.compactMap { event in
      if case .backedOff(_, _, let delay) = event.kind { delay } else { nil as Duration? }
    }
    #expect(delays == [.zero])
  }

  @Test("The effects of a timer in an attempt are no part of the attempt")
  func law15_timerInAnAttempt() throws {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let ticking = Effect.timer(.seconds(1), id: "t") { _ in .task { .none } }.recover { _ in .none }
    store.receive(Effect.concatenate(ticking, .sleep(.seconds(2))).retry(.constant(.seconds(1))))
    harness.advance(by: .seconds(1))
    let operation = try #require(recorder.events.last { $0.effect?.effect.kind == .task }?.effect)
    #expect(operation.attempt == nil)
  }

  @Test("A million attempts of an operation run in constant space")
  func law23_attempts() {
    let (store, count) = (harness.store(), TestSize.nodes)
    store.receive(
      .task(retrying: .constant(.zero)) { attempt in
        if attempt.number < count { throw Failure("x") }
        return .log(attempt.number)
      })
    harness.settle()
    #expect(store.log == ["\(count)"])
    #expect(store.remains == [])
  }
}

extension Recorder {
  /// The ends of operations and of retries.
  fileprivate var ends: [String] { lines.filter { $0.hasPrefix("settled") || $0.hasPrefix("attempts ended") } }
}
