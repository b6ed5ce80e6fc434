import Testing

@testable import AsyncStore

@Suite("Law 15: debounce, throttle, retry, timeout, race")
struct SchedulingLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Debounce

  @Test("Debounce fires once per quiet period, at the last call plus the delay, with the last operation")
  func law15_debounceFiresOnce() {
    let store = harness.store()
    for index in 1...5 {
      store.receive(.debounce({ .log(index) }, for: .milliseconds(300), id: "search"))
      harness.advance(by: .milliseconds(100))
    }
    harness.advance(by: .milliseconds(199))
    #expect(store.log == [])
    harness.advance(by: .milliseconds(1))
    #expect(store.log == ["5"])
    harness.advance(by: .seconds(5))
    #expect(store.log == ["5"])
    store.receive(.debounce({ .log("again") }, for: 0.3, id: "search"))
    harness.advance(by: .milliseconds(300))
    #expect(store.log == ["5", "again"])
    #expect(store.remains == [])
  }

  @Test("A debounce does not fire after a cancel")
  func law15_debounceCancelled() {
    let store = harness.store()
    store.receive(.log("never").debounce(for: .seconds(1), id: "d"))
    harness.advance(by: .milliseconds(999))
    store.receive(.cancel("d"))
    harness.advance(by: .seconds(5))
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A call while the debounced operation runs cancels that operation")
  func law15_debounceCancelsTheRunningOne() {
    let store = harness.store()
    let gate = Gate()
    store.receive(Effect.logTask("old", after: gate).debounce(for: .seconds(1), id: "d"))
    harness.advance(by: .seconds(1))
    #expect(gate.arrivals == 1)
    store.receive(Effect.logTask("new").debounce(for: .seconds(1), id: "d"))
    gate.open()
    harness.advance(by: .seconds(1))
    #expect(store.log == ["new"])
  }

  // MARK: Throttle

  /// Six calls, 100 ms apart, with a window of 250 ms.
  func throttled(_ edges: ThrottleEdges) -> [String] {
    let store = harness.store()
    let began = harness.clock.now
    for index in 1...6 {
      store.receive(
        Effect.read { [clock = harness.clock] _ in
          .log("\(index) at \(began.duration(to: clock.now) / .milliseconds(1))")
        }.throttle(for: .milliseconds(250), id: "x", edges: edges))
      harness.advance(by: .milliseconds(100))
    }
    harness.advance(by: .seconds(5))
    #expect(store.remains == [])
    return store.log
  }

  @Test("A leading throttle runs the first call of a window")
  func law15_throttleLeading() {
    #expect(throttled(.leading) == ["1 at 0.0", "4 at 300.0"])
  }

  @Test("A trailing throttle runs the last call of a window at its end")
  func law15_throttleTrailing() {
    #expect(throttled(.trailing) == ["3 at 250.0", "5 at 500.0", "6 at 750.0"])
  }

  @Test("A throttle on both edges runs the first and the last, at most one a window")
  func law15_throttleBoth() {
    #expect(throttled([.leading, .trailing]) == ["1 at 0.0", "3 at 250.0", "5 at 500.0", "6 at 750.0"])
  }

  /// Puts an effect that replaces others into a throttle under the same identifier, or around it.
  enum Sharing: CaseIterable {
    case inside, outside, debounced

    func apply(_ effect: Effect, _ edges: ThrottleEdges) -> Effect {
      switch self {
      case .inside: effect.id("x").throttle(for: .milliseconds(250), id: "x", edges: edges)
      case .outside: effect.throttle(for: .milliseconds(250), id: "x", edges: edges).id("x")
      case .debounced:
        effect.debounce(for: .milliseconds(5), id: "x").throttle(for: .milliseconds(250), id: "x", edges: edges)
      }
    }
  }

  @Test("An effect that replaces others under a throttle's identifier leaves its window", arguments: Sharing.allCases)
  func law15_sharedIdentifier(_ sharing: Sharing) {
    for (edges, expected) in [(ThrottleEdges.leading, ["1", "4"]), (.trailing, ["3", "5", "6"])] {
      let store = harness.store()
      for index in 1...6 {
        store.receive(sharing.apply(.log("\(index)"), edges))
        harness.advance(by: .milliseconds(100))
      }
      harness.advance(by: .seconds(5))
      #expect(store.log == expected)
      #expect(store.remains == [])
    }
  }

  @Test("A throttle's window is no effect that `keepFirst` would keep")
  func law10_windowIsNotKept() {
    let store = harness.store()
    store.receive(.log("throttled").throttle(for: .seconds(1), id: "x"))
    store.receive(.log("first").id("x", .keepFirst))
    #expect(store.log == ["throttled", "first"])
  }

  @Test("The call that runs at the end of a throttle's window begins a window of its own length")
  func law15_windowOfLastCall() {
    let store = harness.store()
    func call(_ text: String, _ milliseconds: Int) {
      store.receive(.log(text).throttle(for: .milliseconds(milliseconds), id: "x"))
    }
    call("1", 100)
    call("2", 1_000)
    harness.advance(by: .milliseconds(300))
    call("3", 1_000)
    harness.advance(by: .milliseconds(799))
    #expect(store.log == ["1", "2"])
    harness.advance(by: .milliseconds(1))
    #expect(store.log == ["1", "2", "3"])
  }

  @Test("A throttle does not fire after a cancel, which ends the window too")
  func law15_throttleCancelled() {
    let store = harness.store()
    store.receive(.log("1").throttle(for: .seconds(1), id: "x"))
    store.receive(.log("never").throttle(for: .seconds(1), id: "x"))
    store.receive(.cancel("x"))
    #expect(store.remains == [])
    store.receive(.log("2").throttle(for: .seconds(1), id: "x"))
    harness.advance(by: .seconds(5))
    #expect(store.log == ["1", "2"])
    #expect(store.remains == [])
  }

  @Test("A throttle's leading call says so when it is refused")
  func law15_throttleDrops() {
    let store = harness.store()
    store.receive(.log("1").throttle(for: .seconds(1), id: "x", edges: .leading))
    let second = store.receive(.log("2").throttle(for: .seconds(1), id: "x", edges: .leading))
    #expect(second.outcomeIfSettled?.word == "dropped")
    let waiting = store.receive(.log("3").throttle(for: .seconds(1), id: "y", edges: .trailing))
    let newer = store.receive(.log("4").throttle(for: .seconds(1), id: "y", edges: .trailing))
    #expect(waiting.outcomeIfSettled?.word == "cancelled")
    harness.advance(by: .seconds(3))
    #expect(newer.outcomeIfSettled?.word == "finished")
    #expect(store.log == ["1", "4"])
  }

  // MARK: Retry

  @Test("Retry limited to n attempts makes n in all, with the schedule's delays")
  func law15_retryAttempts() {
    let store = harness.store(mapError: { .log("gave up: \($0)") })
    let attempts = Note<[Duration]>([])
    let handle = store.receive(
      .concatenate(
        Effect.task { [clock = harness.clock] in
          attempts.change { $0.append(clock.now.offset) }
          throw Failure("x")
        }.retry(.exponential(first: .seconds(1)).limitedTo(attempts: 4)), .log("next")))
    harness.advance(by: .seconds(100))
    #expect(attempts.value == [.seconds(0), .seconds(1), .seconds(3), .seconds(7)])
    #expect(store.log == ["gave up: x", "next"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.remains == [])
  }

  @Test("Retry stops at the first success, and nobody hears of the failures before")
  func law15_retrySucceeds() {
    let calls = Note(0)
    let store = harness.store(mapError: { _ in .log("never") })
    let handle = store.receive(
      Effect.task {
        calls.change { $0 += 1 }
        if calls.value < 3 { throw Failure("x") }
        return .log("done")
      }.retry(.constant(.seconds(1))))
    harness.advance(by: .seconds(10))
    #expect(store.log == ["done"])
    #expect(calls.value == 3)
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("The same seed gives the same delays, within the schedule's bounds")
  func law15_retrySeed() {
    func times(seed: UInt64?, storeSeed: UInt64) -> [Duration] {
      let harness = Harness()
      let store = harness.store(seed: storeSeed)
      let attempts = Note<[Duration]>([])
      store.receive(
        Effect.task { [clock = harness.clock] in
          attempts.change { $0.append(clock.now.offset) }
          throw Failure("x")
        }.retry(.constant(.seconds(10)).jittered(by: 0.2).limitedTo(attempts: 9), seed: seed))
      harness.advance(by: .seconds(1_000))
      return attempts.value
    }
    let once = times(seed: 5, storeSeed: 1)
    #expect(once == times(seed: 5, storeSeed: 2))
    #expect(once != times(seed: 6, storeSeed: 1))
    #expect(times(seed: nil, storeSeed: 1) == times(seed: nil, storeSeed: 1))
    #expect(times(seed: nil, storeSeed: 1) != times(seed: nil, storeSeed: 2))
    #expect(once.count == 9)
    for (earlier, later) in zip(once, once.dropFirst()) {
      #expect((Duration.seconds(8)...(.seconds(12) + .nanoseconds(1))).contains(later - earlier))
    }
  }

  @Test("A cancel during a back-off makes no further attempt")
  func law15_retryCancelledInBackOff() {
    let store = harness.store(mapError: { _ in .log("never") })
    let attempts = Note(0)
    store.receive(
      Effect.task {
        attempts.change { $0 += 1 }
        throw Failure("x")
      }.retry(.constant(.seconds(1))).id("a"))
    harness.advance(by: .milliseconds(2_500))
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(10))
    #expect(attempts.value == 3)
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A failed attempt cancels what else of it is running, and the next waits for its cleanup")
  func law15_retryCancelsTheAttempt() {
    let store = harness.store()
    let (gate, attempts) = (Gate(), Note(0))
    store.receive(
      Effect.merge(
        .logTask("sibling", after: gate),
        .task {
          attempts.change { $0 += 1 }
          if attempts.value == 1 { throw Failure("x") }
          return .log("done")
        }
      ).retry(.constant(.zero)))
    harness.settle()
    #expect(attempts.value == 1)
    gate.open()
    harness.settle()
    #expect(attempts.value == 2)
    #expect(store.log.sorted() == ["done", "sibling"])
    #expect(store.remains == [])
  }

  // MARK: Timeout

  @Test("A timeout cancels its effect with a barrier, and then runs its else")
  func law15_timeout() {
    let store = harness.store()
    let gate = Gate()
    let handle = store.receive(
      .concatenate(
        Effect.concatenate(.log("begun"), .logTask("never", after: gate)).timeout(.seconds(1), else: .log("else")),
        .log("next")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["begun", "else"], "what follows waits for the cancelled operation too")
    gate.open()
    harness.settle()
    #expect(store.log == ["begun", "else", "next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("A timeout that is not reached leaves no trace")
  func law15_timeoutNotReached() {
    let store = harness.store()
    store.receive(
      .concatenate(
        Effect.concatenate(.sleep(.seconds(1)), .log("done")).timeout(.seconds(2), else: .log("else")), .log("next")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["done", "next"])
    #expect(store.remains == [])
    harness.advance(by: .seconds(5))
    #expect(store.log == ["done", "next"])
  }

  @Test("A timeout of zero runs its else at once")
  func law15_timeoutOfZero() {
    let store = harness.store()
    store.receive(.log("never").timeout(.zero, else: .log("else")))
    #expect(store.log == ["else"])
  }

  @Test("A timeout that was cancelled runs no else")
  func law15_timeoutCancelled() {
    let store = harness.store()
    store.receive(Effect.sleep(.seconds(5)).timeout(.seconds(1), else: .log("never")).id("a"))
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(9))
    #expect(store.log == [])
  }

  // MARK: Race

  @Test("A race has one winner, and no loser commits after it")
  func law15_race() {
    let store = harness.store()
    let gate = Gate()
    let handle = store.receive(
      .concatenate(
        .race(
          .logTask("never", after: gate), .concatenate(.sleep(.seconds(2)), .log("never")),
          .concatenate(.sleep(.seconds(1)), .log("won"))), .log("next")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["won"], "the race settles when the losers' operations have returned")
    gate.open()
    harness.advance(by: .seconds(5))
    #expect(store.log == ["won", "next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("After a winner in its own prefix the rest of a race never begins")
  func law15_raceWonInThePrefix() {
    let store = harness.store()
    store.receive(.race(.sleep(.seconds(1)), .log("won"), .log("never")))
    #expect(store.log == ["won"])
    #expect(store.remains == [])
  }

  @Test("An effect that is none settles at once, and so wins its race")
  func law15_raceWithNone() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.race(.sleep(.seconds(1)), .none, .log("never")), .log("next")))
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A refused entrant, and a lift that fails in the other store, don't win a race that has to succeed")
  func law15_raceWithoutCompletion() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(Effect.sleep(.seconds(60)).id("busy"))
    for entrant in [Effect.log("never").id("busy", .keepFirst), .lift(.fail("x"), to: other)] {
      store.receive(.race(entrant, .concatenate(.sleep(.seconds(1)), .log("winner")), goal: .firstToSucceed))
      store.receive(.race(entrant, .concatenate(.sleep(.seconds(1)), .log("loser"))))
    }
    harness.settle()
    harness.advance(by: .seconds(1))
    #expect(store.log == ["winner", "winner"])
  }

  @Test(
    "An effect that an entrant leaves running is cancelled if the entrant does not succeed", arguments: [false, true])
  func law15_timerOfLoser(isLifted: Bool) {
    let (store, other) = (harness.store(), harness.store())
    let ticking = Effect.timer(.seconds(1), id: "timer") { _ in .log("tick") }
    let part = Effect.concatenate(ticking, .sleep(.seconds(5)).id("part"))
    store.receive(
      .race(
        isLifted ? .lift(part, to: other) : part, .concatenate(.sleep(.seconds(3)), .log("winner")),
        goal: .firstToSucceed))
    harness.advance(by: .milliseconds(1_500))
    (isLifted ? other : store).receive(.cancel("part"))
    harness.settle()
    harness.advance(by: .seconds(9))
    #expect((store.log + other.log).sorted() == ["tick", "winner"])
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("The first entrant to settle wins a race even with an error, unless the race has to succeed")
  func law15_raceGoals() {
    let store = harness.store(mapError: { .log("error \($0)") })
    let slow = Effect.concatenate(.sleep(.seconds(1)), .log("slow"))
    store.receive(.race(.fail("x"), slow))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["error x"])
    store.receive(.race(.fail("y"), slow, goal: .firstToSucceed))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["error x", "slow"])
    let handle = store.receive(.race(.fail("1"), .fail("2"), goal: .firstToSucceed))
    harness.settle()
    #expect(store.log == ["error x", "slow", "error 2"])
    #expect(handle.outcomeIfSettled?.word == "failed: 2")
    #expect(store.remains == [])
  }

  @Test("A race's member whose last part was cancelled has settled, and wins")
  func law15_memberWhoseLastPartWasCancelledWins() {
    let store = harness.store()
    let handle = store.receive(
      .race(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")), .concatenate(.sleep(.seconds(5)), .log("2"))))
    store.receive(.cancel("pause"))
    #expect(handle.isSettled)
    harness.advance(by: .seconds(9))
    #expect(store.log == ["1"])
  }

  @Test("A timeout's else comes after the finally of the effect that it cancelled")
  func law15_timeoutsElseComesAfterTheCleanup() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).finally(.log("end")).timeout(.seconds(1), else: .log("else")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["end", "else"])
  }
}
