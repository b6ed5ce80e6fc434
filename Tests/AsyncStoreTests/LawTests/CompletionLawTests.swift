import Testing

@testable import AsyncStore

/// The members of sequences, and the entrants of races that have to succeed, that count as completed.
@Suite("Laws 12, 15 and 25: what has completed")
struct CompletionLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let store: JournalStore
  let other: JournalStore

  init() {
    store = harness.store(mapError: { .log("mapped \($0)") })
    other = harness.store(mapError: { .log("mapped \($0)") })
  }

  func step(_ name: String) -> Effect { .log(name).compensate(with: .log("undo \(name)")) }

  func run(_ effect: Effect) -> String? {
    let handle = store.receive(effect)
    harness.advance(by: .seconds(60))
    #expect(store.remains == [])
    #expect(other.remains == [])
    return handle.outcomeIfSettled?.word
  }

  /// Bodies that a timeout cuts off, some of which are ending without an error already.
  enum Body: CaseIterable {
    case sleep, lift, liftFollowed, liftInSequence, cancelledWithCleanup, cancelledScope, undone

    func effect(_ other: JournalStore) -> Effect {
      let lift = Effect.lift(.sleep(.seconds(9)), to: other)
      return switch self {
      case .sleep: .sleep(.seconds(9))
      case .lift: lift
      case .liftFollowed: .concatenate(lift, .log("never"))
      case .liftInSequence: .sequence(.log("b").compensate(with: .log("undo b")), lift)
      case .cancelledWithCleanup:
        .merge(
          Effect.sleep(.seconds(9)).id("x").finally(.sleep(.seconds(9))),
          .concatenate(.sleep(.milliseconds(1)), .cancel("x")))
      case .cancelledScope: .cancel("k").finally(.sleep(.seconds(9))).id("k")
      case .undone:
        .sequence(
          Effect.none.compensate(with: .sleep(.seconds(9))),
          .lift(Effect.sleep(.zero).id("y").timeout(.zero), to: other),
          .lift(.fail("x"), to: other))
      }
    }

    var log: [String] { self == .liftInSequence ? ["b", "undo b"] : [] }
  }

  @Test("A timeout has completed, whatever it has cut off", arguments: Body.allCases, [false, true])
  func law15_timeout(body: Body, hasElse: Bool) {
    let effect = body.effect(other)
    let timeout =
      hasElse
      ? effect.timeout(.seconds(1), else: step("else"))
      : effect.timeout(.seconds(1)).compensate(with: .log("undo else"))
    let outcome = run(.sequence(step("a"), timeout, .log("c")))
    #expect(store.log == ["a"] + body.log + (hasElse ? ["else", "c"] : ["c"]))
    #expect(outcome == "finished")
  }

  @Test("A timed-out entrant's else wins the race", arguments: Body.allCases)
  func law15_raceOfTimeouts(body: Body) {
    // A timeout waits for the cleanups of what it cuts off.
    let late = Effect.concatenate(.sleep(.seconds(30)), .log("late"))
    let entrant = body.effect(other).timeout(.seconds(1), else: .log("else"))
    #expect(run(.race(entrant, late, goal: .firstToSucceed)) == "finished")
    #expect(store.log == body.log + ["else"])
  }

  @Test("The handler of a sequence's error has completed, though the sequence cut off a lift")
  func law25_recovered() {
    let inner = Effect.sequence(.merge(.lift(.sleep(.seconds(9)), to: other), .fail("x"))).recover { _ in .none }
    #expect(run(.sequence(step("a"), inner, .log("c"))) == "finished")
    #expect(store.log == ["a", "c"])
  }

  @Test("A race that has to succeed, and in which nobody does, has not completed", arguments: [false, true])
  func law25_raceWithoutWinner(isNested: Bool) {
    let lost = Effect.race(
      .lift(.fail("visa"), to: other), .lift(.concatenate(.sleep(.seconds(1)), .fail("cash")), to: other),
      goal: .firstToSucceed)
    let race = isNested ? .race(lost, .lift(.fail("gift"), to: other), goal: .firstToSucceed) : lost
    #expect(run(.sequence(step("a"), race.compensate(with: .log("undo race")), .log("ship"))) == "cancelled")
    #expect(store.log == ["a", "undo a"])
  }

  @Test("An incomplete lift ends the sequence while its store drains too", arguments: [false, true])
  func law25_draining(keepsSources: Bool) throws {
    let lifted = Effect.concatenate(
      .timer(.seconds(1), id: "timer") { .log("tick \($0.index)") }, .sleep(.milliseconds(1_500)), .fail("x"))
    store.receive(.sequence(step("a"), .lift(lifted, to: other), .log("never")))
    let shutdown = harness.start { [store] in
      try await store.shutdown(drain: .seconds(30), keepingSources: keepsSources)
    }
    harness.advance(by: .seconds(60))
    #expect(store.log == ["a", "undo a"])
    #expect(shutdown.isFinished)
    other.deactivate()
    harness.settle()
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("A step that has failed in another store is not undone, though a shutdown cancels what it has left there")
  func law25_failedBeforeShutdown() {
    let end = Gate()
    let stream = Effect.stream(GatedSequence(gate: end)) { _ in .log("never") }
    let lifted = Effect.merge(stream, .concatenate(.sleep(.seconds(1)), .fail("x")))
    store.receive(.sequence(step("a"), .lift(lifted, to: other).compensate(with: .log("undo b")), .log("never")))
    let shutdown = harness.start { [store] in
      try await store.shutdown(drain: .seconds(2), cleanup: .seconds(5))
    }
    harness.advance(by: .seconds(3))
    #expect(store.phase == .cleaningUp && store.inFlight.map(\.isCancelled).contains(true))
    end.open()
    harness.settle()
    #expect(store.log == ["a", "undo a"] && shutdown.isFinished)
    other.deactivate()
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("An error of a timer or a stream of a lifted effect ends nothing", arguments: [false, true])
  func law25_errorOfTick(isLifted: Bool) {
    let ticking = Effect.concatenate(
      .timer(.seconds(2), id: "timer") { _ in .fail("tick") }, .sleep(.seconds(3)), .cancel("timer"))
    #expect(run(.sequence(step("a"), isLifted ? .lift(ticking, to: other) : ticking, .log("c"))) != nil)
    #expect(store.log.filter { !$0.hasPrefix("mapped") } == ["a", "c"])
    #expect((isLifted ? other : store).log.contains("mapped tick"))
  }

  /// Cancels of a sequence that has an error to go on with.
  enum Cancel: CaseIterable {
    case timeout, identifier, race, outerFailure

    func wrap(_ effect: Effect) -> Effect {
      switch self {
      case .timeout: effect.timeout(.seconds(1))
      case .identifier: .merge(effect.id("x"), .concatenate(.sleep(.seconds(1)), .cancel("x")))
      case .race: .race(effect, .sleep(.seconds(1)))
      case .outerFailure: .sequence(.merge(effect, .concatenate(.sleep(.seconds(1)), .fail("outer"))))
      }
    }
  }

  @Test("The error of a sequence that is cancelled before it continues is handled once", arguments: Cancel.allCases)
  func law12_heldError(cancel: Cancel) {
    // While it is undone, or before, while another member's operation has not returned.
    let undone = Effect.sequence(Effect.none.compensate(with: .sleep(.seconds(5))), .fail("x"))
    let waiting = Effect.sequence(.merge(.fail("x"), Effect.sleep(.seconds(5)).finally(.sleep(.seconds(5)))))
    for (number, held) in [undone, waiting].enumerated() {
      store.receive(.set(\.log, to: []))
      _ = run(cancel.wrap(held))
      #expect(store.log.filter { $0.hasSuffix("x") } == ["mapped x"], "\(number)")
      store.receive(.set(\.log, to: []))
      _ = run(cancel.wrap(held).recover { .log("recovered \($0)") })
      #expect(store.log.filter { $0.hasSuffix("x") } == ["recovered x"], "\(number)")
    }
  }

  @Test("Errors from one effect after another are handled without a stack overflow", arguments: [false, true])
  func law23_nestedErrors(isHeld: Bool) {
    let depth = TestSize.many(isHeld ? 2_500 : 6_000)
    var effect = isHeld ? Effect.none.finally(.sleep(.seconds(20))) : .fail("x")
    for level in 1...depth {
      if isHeld {
        let fails = Effect.concatenate(.sleep(.milliseconds(level)), .fail("\(level)"))
        effect = .sequence(.merge(effect, fails))
      } else {
        effect = effect.retry(.constant(.zero).limitedTo(attempts: 1), while: { _ in true })
      }
    }
    _ = run(effect)
    #expect(store.log.count == (isHeld ? depth : 1))
  }

  @Test("A sequence's CancellationError that was no cancel reaches a recover, also if the sequence is cancelled")
  func law12_heldCancellationError() {
    let held = Effect.sequence(Effect.none.compensate(with: .sleep(.seconds(5))), .task { throw CancellationError() })
    _ = run(held.timeout(.seconds(1)).recover { _ in .log("recovered") })
    #expect(store.log == ["recovered"])
  }

  @Test("A handler has the caller's task-local values, however many conditions are asked before it")
  func law22_manyAnswers() {
    let store = harness.store(mapError: { _ in .log("\(Local.value)") })
    let retried = (1...100).reduce(Effect.fail("x")) { effect, _ in
      effect.retry(.constant(.zero).limitedTo(attempts: 1), while: { _ in Local.value == 7 })
    }
    Local.$value.withValue(7) { _ = store.receive(retried) }
    harness.settle()
    #expect(store.log == ["7"])
  }

  @Test("A cancelled sequence is its tree's outcome only if nothing has run before it")
  func law12_outcome() {
    let cancelled = Effect.sequence(.lift(.fail("x"), to: other), .log("never"))
    #expect(run(cancelled) == "cancelled")
    #expect(run(cancelled.id("i").label("n")) == "cancelled")
    #expect(run(.sequence(cancelled)) == "cancelled")
    #expect(run(.concatenate(.log("a"), cancelled)) == "finished")
    #expect(run(.concatenate(.log("a"), cancelled.id("i"))) == "finished")
    #expect(run(.task { cancelled }) == "finished")
  }
}

private enum Local { @TaskLocal static var value = 0 }
