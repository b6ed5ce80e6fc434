import Synchronization
import Testing

@testable import AsyncStore

/// Handlers and conditions whose answers lead to each other, of which only some fit onto the stack.
@Suite("Laws 6, 10, 13 and 23: answers that follow each other")
struct AnswerLawTests {
  typealias Effect = JournalStore.Effect
  static let counts = [0, 10, 31, 32, 33, 100, 1_000]

  let harness = Harness()

  /// An effect that fails when the sleep `s` is cancelled; then `count` conditions are asked, and the handler last.
  static func questions(_ count: Int, then handler: @escaping @Sendable () -> Effect = { .log("handled") }) -> Effect {
    (0..<count).reduce(failing("s")) { effect, _ in
      effect.retry(.constant(.zero).limitedTo(attempts: 1), while: { _ in false })
    }.recover { _ in handler() }
  }

  @Test("All that a cancel leads to at once has happened when its receive returns", arguments: counts)
  func law06_prefix(count: Int) {
    let store = harness.store()
    store.receive(Self.questions(count))
    harness.settle()
    store.receive(.cancel("s"))
    #expect(store.log == ["handled"])
    #expect(store.remains == [])
  }

  @Test(
    "A replaced effect's cleanup begins before the new effect, whatever has failed", arguments: counts)
  func law10_replacing(count: Int) {
    let store = harness.store()
    let first = store.receive(Self.questions(count, then: { .sleep(.seconds(9)) }).finally(.log("cleanup")).id("id"))
    harness.settle()
    store.receive(.cancel("s"))
    store.receive(.log("new").id("id"))
    #expect(store.log == ["cleanup", "new"])
    #expect(first.isSettled)
  }

  @Test("The consequences of an answer happen at its deadline, however late the alarm is", arguments: counts)
  func law13_lateAlarm(count: Int) {
    let store = harness.store()
    store.receive(
      Self.questions(count) { .concatenate(.log("a at 10"), .sleep(.seconds(10)), .log("a at 20")) })
    harness.settle()
    for (seconds, effect) in [(10, Effect.cancel("s")), (15, .log("b at 15")), (25, .log("b at 25"))] {
      store.receive(.concatenate(.sleep(.seconds(seconds)), effect))
    }
    harness.jump(by: .seconds(60))
    #expect(store.log == ["a at 10", "b at 15", "a at 20", "b at 25"])
  }

  @Test("An answer that was given is not lost to a cancel from the next handler", arguments: counts)
  func law12_answersInTurn(count: Int) {
    let store = harness.store()
    store.receive(Self.questions(count) { .merge(.cancel("x"), .cancel("y")) })
    receiveRivals(store, store)
    harness.settle()
    store.receive(.cancel("s"))
    #expect(store.log == ["first answer", "cancelled the first", "second answer"])
    #expect(store.remains == [])
  }

  /// An effect that fails when the sleep `id` is cancelled.
  static func failing(_ id: String) -> Effect {
    .race(.fail("x"), .sleep(.seconds(1_000)).id(id), goal: .firstToSucceed)
  }

  /// Has one store receive an effect whose handler answers for the sleep `x`, and another one an effect whose handler
  /// cancels the first for the sleep `y`.
  private func receiveRivals(_ store: JournalStore, _ other: JournalStore) {
    store.receive(Self.failing("x").recover { _ in .log("first answer") }.id("first"))
    other.receive(
      Self.failing("y").recover { _ in
        store.receive(.merge(.cancel("first"), .log("cancelled the first")))
        return .log("second answer")
      })
  }

  @Test("An answer is not lost to a handler of another store that the same mutation has called", arguments: counts)
  func law12_answersToMutation(count: Int) {
    let (store, other, third) = (harness.store(), harness.store(), harness.store())
    receiveRivals(store, other)
    third.receive(
      Self.questions(count) {
        .update { _ in
          store.receive(.cancel("x"))
          other.receive(.cancel("y"))
          return .none
        }
      })
    harness.settle()
    third.receive(.cancel("s"))
    #expect(store.log == ["first answer", "cancelled the first"])
    #expect(other.log == ["second answer"])
    #expect(store.remains + other.remains + third.remains == [])
  }

  @Test("An answer is not lost to a handler of the store whose mutation has called the other one", arguments: counts)
  func law12_answersBehindMutation(count: Int) {
    let (store, other) = (harness.store(), harness.store())
    receiveRivals(other, store)
    store.receive(
      Self.questions(count) {
        .update { _ in
          other.receive(.cancel("x"))
          return .cancel("y")
        }
      })
    harness.settle()
    store.receive(.cancel("s"))
    #expect(other.log == ["first answer", "cancelled the first"])
    #expect(store.log == ["second answer"])
    #expect(store.remains + other.remains == [])
  }

  @Test("An effect is freed after all that the answers of its step lead to at once", arguments: counts, [false, true])
  func law06_answersBeforeReleases(count: Int, isLifted: Bool) {
    let (store, other, outer) = (harness.store(), harness.store(), harness.store())
    let holding = { @Sendable () -> Effect in
      let object = Released { store.receive(.merge(.cancel("first"), .log("released"))) }
      return .update { _ in object.effect }
    }
    store.receive(.concatenate(Self.questions(count) { .merge(.cancel("x"), holding()) }, holding()))
    let answer = Effect.concatenate(.log("answer"), .lift(.log("lifted"), to: other), .log("end"))
    store.receive(Self.failing("x").recover { _ in answer }.id("first"))
    harness.settle()
    if isLifted { outer.receive(.lift(.cancel("s"), to: store)) } else { store.receive(.cancel("s")) }
    #expect(store.log == ["answer", "end", "released", "released"])
    #expect(store.remains + other.remains == [])
  }

  /// The ways in which a call leads to another store's lift, and to a question behind it.
  enum LiftBeforeQuestion: CaseIterable {
    case mutation, mutationOfOwnStore, wave
  }

  @Test(
    "A handler is called after the lifts that come before it, which may cancel what it answers for",
    arguments: LiftBeforeQuestion.allCases, [false, true])
  func law12_cancelledBeforeQuestion(way: LiftBeforeQuestion, hasHandler: Bool) {
    let calls = Note<[String]>([])
    let answer = { @Sendable (_: any Error) -> Effect in
      calls.change { $0.append("handler") }
      return .log("answer")
    }
    let (store, other) = (harness.store(mapError: answer), harness.store())
    func first(_ failing: Effect) -> Effect { (hasHandler ? failing.recover(answer) : failing).id("first") }
    let cancel = Effect.lift(
      .merge(.cancel("first"), .set { _ in calls.change { $0.append("cancel") } }), to: store)
    switch way {
    case .mutation, .mutationOfOwnStore:
      other.receive(.concatenate(.sleep(.seconds(99)).id("a"), cancel))
      store.receive(first(Self.failing("y")))
      harness.settle()
      if way == .mutation {
        harness.store().receive(
          .set { _ in
            other.receive(.cancel("a"))
            store.receive(.cancel("y"))
          })
      } else {
        store.receive(
          .concatenate(
            .update { _ in
              other.receive(.cancel("a"))
              return .none
            }, .cancel("y")))
      }
    case .wave:
      let outer = harness.store()
      let ending = Effect.lift(.sleep(.seconds(999)).finally(cancel), to: other)
      outer.receive(.merge(.lift(.sleep(.seconds(999)).id("joined"), to: store), ending).id("a"))
      store.receive(
        first(.race(.fail("x"), .concatenate(.join("joined"), .cancel("e")).id("e"), goal: .firstToSucceed)))
      harness.settle()
      outer.receive(.cancel("a"))
    }
    // An answer that was given before the cancel would not be dropped.
    #expect(calls.value == ["cancel", "handler"])
    #expect(store.log == [])
    #expect(store.remains + other.remains == [])
  }

  /// Does something when it is freed.
  private final class Released: Sendable {
    let effect = Effect.none
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  @Test("An operation's follow-up is complete before the next one begins", arguments: counts)
  func law02_nextOperation(count: Int) {
    let store = JournalStore(state: Journal(), env: (), executor: ImmediateExecutor())
    store.receive(Self.failing("x").recover { _ in .log("handled") })
    store.receive(Self.questions(count) { .concatenate(.task { .cancel("x") }, .task { .log("next") }) })
    store.receive(.cancel("s"))
    #expect(store.log == ["handled", "next"])
  }

  @Test("A store on an actor handles errors on that actor", arguments: counts)
  func actor(count: Int) throws {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let questions = Self.questions(count) {
      .set { journal in
        desk.assertIsolated()
        journal.log.append("handled")
      }
    }
    try harness.wait { await desk.run { _ in _ = store.receive(questions) } }
    // With an operation in the same tree, for which its caller's values are kept.
    let log = try harness.wait {
      await desk.run { _ in
        store.receive(.merge(.cancel("s"), .logTask("task")))
        return store.log
      }
    }
    #expect(log == ["handled"])
  }

  @Test("An executor that runs jobs at once may run many attempts", arguments: [31, 34, 40, 200])
  func immediateExecutor(attempts: Int) async {
    let store = JournalStore(state: Journal(), env: (), executor: ImmediateExecutor())
    let outcome = await store.run(
      .task(retrying: .constant(.zero).limitedTo(attempts: attempts), while: { _ in true }) { attempt in
        if attempt.number < attempts { throw Failure("x") }
        return .log("done")
      })
    #expect(outcome.isFinished)
    #expect(store.log == ["done"])
  }

  @Test("A long pass that continues in a task begins its lifts in order")
  func law06_handedOver() {
    let (store, other) = (
      JournalStore(state: Journal(), env: (), executor: ImmediateExecutor()), JournalStore(state: Journal(), env: ())
    )
    // Lifts in each of the steps between which the pass gives the lock up.
    let parts = (0..<400).map { part in
      Effect.concatenate(
        .concatenate(effects: (0..<200).map { _ in .set { _ in } }), .lift(.log("\(part)"), to: other))
    }
    store.receive(.fail("x").recover { _ in .merge(effects: parts) })
    #expect(other.log == (0..<400).map { "\($0)" })
  }

  @Test("A hundred thousand answers need no stack, and are over when the call returns")
  func law23_manyAnswers() {
    let store = harness.store()
    store.receive(Self.questions(TestSize.many(100_000)))
    harness.settle()
    store.receive(.cancel("s"))
    #expect(store.log == ["handled"])
  }
}

/// Effects that begin or go on where the caller's task-local values have to be taken from the tree.
@Suite("Law 22 and isolation: effects that begin elsewhere")
struct BeginElsewhereLawTests {
  typealias Effect = JournalStore.Effect
  @TaskLocal static var local = 0

  let harness = Harness()

  /// Checks that Swift knows the store's actor, and logs.
  private static func onDesk(_ desk: Desk, _ line: String) -> Effect {
    .update { journal in
      desk.assertIsolated()
      journal.log.append(line)
      return .none
    }
  }

  @Test("The effects of an operation commit in a turn on the actor, wherever its executor has resumed it")
  func resumedOnActor() async {
    let desk = Desk()
    let store = JournalStore(state: Journal(), env: (), isolation: desk, executor: ImmediateExecutor())
    let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let handle = store.receive(
      .task {
        await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
        store.receive(Self.onDesk(desk, "its call"))
        return Self.onDesk(desk, "its effect")
      })
    await desk.run { _ in
      // In a handler, where the store knows that it is on the actor.
      _ = store.receive(
        .fail("x").recover { _ in
          waiting.withLock { $0.take() }?.resume()
          return .none
        })
    }
    #expect(await handle.outcome.isFinished)
    #expect(await desk.run { _ in store.log } == ["its call", "its effect"])
  }

  @Test("A lift that another tree's cancel sets off commits on the actor, and its operations have the caller's values")
  func lift() throws {
    let desk = Desk()
    let (store, other) = (harness.store(isolation: desk), harness.store(isolation: desk))
    try harness.wait {
      await desk.run { _ in
        Self.$local.withValue(7) {
          _ = store.receive(
            .concatenate(
              .sleep(.seconds(9)).id("s"),
              .lift(.concatenate(Self.onDesk(desk, "lifted"), .task { .log("\(Self.local)") }), to: other),
              Self.onDesk(desk, "after")))
        }
      }
    }
    let log = try harness.wait {
      await desk.run { _ in
        store.receive(.cancel("s"))
        return other.log
      }
    }
    #expect(log == ["lifted"])
    #expect(other.log == ["lifted", "7"])
    #expect(store.log == ["after"])
  }
}
