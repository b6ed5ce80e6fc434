import Testing

@testable import AsyncStore

/// Tests of passes that release the lock between two of their steps, and of the calls that may come in between.
@Suite("Laws 6, 8, 11, 12, 21 to 23 and 25 in passes that are long")
struct LongPassLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Prefixes

  @Test("A long prefix is interrupted by a cancel that comes from one of its own commits' observers")
  func law11_longPrefix() {
    let (store, up) = (harness.store(), harness.store())
    up.bind(id: "b", to: store, on: \.count) { count in
      if count > 0 { store.receive(.cancel("long")) }
      return .none
    }
    let handle = store.receive(
      .concatenate(effects: (1...100_000).map { .set(\.count, to: $0) }).id("long"))
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect((1...2_000).contains(store.count))
    #expect(store.remains == [])
  }

  @Test("A cleanup has its receiver's task-local values when another call has cancelled the suspended prefix")
  func law22_cancelOfSuspendedPrefix() {
    let (store, up) = (harness.store(), harness.store())
    up.bind(id: "b", to: store, on: \.count) { count in
      if count > 0 { Caller.$name.withValue("canceller") { _ = store.receive(.cancel("long")) } }
      return .none
    }
    let prefix = Effect.concatenate(effects: (1...5_000).map { .set(\.count, to: $0) })
    let cleanup = Effect.task { .log(Caller.name) }
    Caller.$name.withValue("receiver") {
      _ = store.receive(.concatenate(prefix.finally(cleanup).id("long"), cleanup))
    }
    harness.settle()
    #expect(store.log == ["receiver", "receiver"])
    #expect(store.remains == [])
  }

  @Test("A prefix that looks through many identifiers gives way sooner", arguments: ["cancel", "join", "identifiers"])
  func law11_searches(kind: String) {
    let (store, up) = (harness.store(), harness.store())
    for index in 0..<10_000 { store.receive(.sleep(.seconds(60)).id(index)) }
    up.bind(id: "b", to: store, on: \.count) { count in
      if count > 0 { store.receive(.cancel("long")) }
      return .none
    }
    let search: Effect =
      switch kind {
      case "cancel": .cancel(prefix: "unknown")
      case "join": .join(prefix: "unknown")
      default: .cancel(ids: (0..<10_000).map { "\($0)" })
      }
    let handle = store.receive(
      .concatenate(effects: (1...400).flatMap { [search, .set(\.count, to: $0)] }).id("long"))
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect((1...3).contains(store.count))
    store.deactivate()
    #expect(store.remains == [])
  }

  @Test("A prefix without an end is ended by a deactivation", arguments: [false, true])
  func law11_endlessPrefix(isLifted: Bool) {
    let (store, up, other) = (harness.store(), harness.store(), harness.store())
    up.bind(id: "b", to: store, on: \.count) { count in
      if count > 5_000 { (isLifted ? other : store).deactivate() }
      return .none
    }
    @Sendable func endless() -> Effect {
      .update { state in
        state.count += 1
        return endless()
      }
    }
    let handle = isLifted ? other.receive(.lift(endless(), to: store)) : store.receive(endless())
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect((5_001...8_000).contains(store.count))
    #expect(store.remains == [])
    #expect(other.remains == [])
  }

  @Test("A receive in the middle of a long prefix is complete when it returns, and so is the prefix when its own does")
  func law06_betweenSteps() {
    let (store, up) = (harness.store(), harness.store())
    let seen = Note<[Int]>([])
    up.bind(id: "b", to: store, on: \.count) { count in
      guard count > 0, seen.value.isEmpty else { return .none }
      store.receive(.concatenate(effects: (1...5_000).map { .set(\.other, to: $0) }))
      seen.value = [store.count, store.other]
      return .none
    }
    store.receive(.concatenate(effects: (1...20_000).map { .set(\.count, to: $0) }))
    #expect(seen.value.first.map { $0 < 20_000 } == true)
    #expect(seen.value.last == 5_000)
    #expect(store.count == 20_000)
    #expect(store.remains == [])
  }

  @Test("The rest of a prefix, after the cancel of a part, is still part of that prefix")
  func law06_cancelledPartOfALongPrefix() {
    let (store, up) = (harness.store(), harness.store())
    up.bind(id: "b", to: store, on: \.count) { count in
      if (1...10).contains(count) { store.receive(.cancel("part")) }
      return .none
    }
    store.receive(
      .concatenate(
        .concatenate(effects: (1...20_000).map { .set(\.count, to: $0) }).id("part"),
        .concatenate(effects: (1...20_000).map { .set(\.other, to: $0) })))
    #expect(store.count < 2_000)
    #expect(store.other == 20_000)
    #expect(store.remains == [])
  }

  @Test("Endless lifts of a deadline, a tick or a binding keep nobody waiting", arguments: 0..<3)
  func law11_endlessLifts(way: Int) {
    let (store, other) = (harness.store(), harness.store())
    // For a test that fails it has an end.
    @Sendable func endless() -> Effect {
      .update { state in
        state.other += 1
        return state.other > 100_000 ? .none : .concatenate(.lift(.set { $0.other += 1 }, to: other), endless())
      }
    }
    switch way {
    case 0: store.receive(.concatenate(.sleep(.seconds(1)), endless()).id("endless"))
    case 1: store.receive(.timer(.seconds(1), id: "endless") { _ in endless() })
    default:
      store.bind(id: "endless", to: other, on: \.count) { $0 == 0 ? .none : endless() }
      other.receive(.concatenate(.sleep(.seconds(1)), .set(\.count, to: 1), .log("committed")))
    }
    let next = store.receive(.concatenate(.sleep(.seconds(2)), .log("later")))
    harness.spend(.seconds(2))
    for _ in 0..<200 where !next.isSettled { harness.step() }
    #expect(store.log == ["later"] && (1_000..<100_000).contains(store.other))
    #expect(other.log == (way == 2 ? ["committed"] : []))
    store.receive(.cancel("endless"))
    harness.settle()
    #expect(store.remains == [] && other.remains == [])
  }

  @Test(
    "A call in the middle of a pass leaves a queue's next effects to that pass",
    arguments: ["newcomer", "newcomer and more", "cancel"])
  func law10_queueInTheMiddleOfAPass(call: String) {
    let (store, up) = (harness.store(), harness.store())
    let policy = IdentifierPolicy.atMost(2)
    let (seen, turn) = (Note<[String]>([]), TestSize.many(10_000))
    @Sendable func count(to end: Int) -> Effect {
      .update { state in
        state.count += 1
        return state.count < end ? count(to: end) : .none
      }
    }
    for index in 1...2 { store.receive(Effect.sleep(.seconds(9)).id("q", policy).id("holder \(index)")) }
    store.receive(Effect.concatenate(.log("1"), count(to: 2 * turn), .log("1 ends")).id("q", policy))
    store.receive(Effect.concatenate(.log("2"), count(to: 4 * turn), .log("2 ends")).id("q", policy))
    store.receive(Effect.log("3").id("q", policy).id("third"))
    up.bind(id: "b", to: store, on: \.count) { count in
      guard count > turn, seen.value.isEmpty else { return .none }
      switch call {
      case "newcomer": store.receive(.log("4").id("q", policy))
      case "newcomer and more": store.receive(.merge(Effect.log("4").id("q", policy), .log("more")))
      default: store.receive(.cancel("third"))
      }
      seen.value = store.log
      return .none
    }
    store.receive(.cancel(ids: ["holder 1", "holder 2"]))
    let more = call == "newcomer and more" ? ["more"] : []
    #expect(seen.value == ["1"] + more)
    #expect(store.log == ["1"] + more + ["1 ends", "2", "2 ends"] + (call == "cancel" ? [] : ["3", "4"]))
    #expect(store.remains == [])
  }

  // MARK: Between two locks

  /// Returns an effect with this number of sets.
  static func sets(_ count: Int) -> Effect { .concatenate(effects: (1...count).map { .set(\.count, to: $0) }) }

  @Test("An operation follows another one though its pass has more to do for others", arguments: [10, 2_000])
  func law21_operationBehindALongPass(count: Int) {
    let (store, up) = (harness.store(), harness.store())
    let isFirst = Note(true)
    up.bind(id: "b", to: store, on: \.count) { value in
      if value >= count / 2, isFirst.value {
        isFirst.value = false
        store.receive(Self.sets(5_000).id("q", .queue()))
      }
      return .none
    }
    let handle = store.receive(
      .task { .concatenate(Self.sets(count).id("q", .queue()), .logTask("next")) }.id("s"))
    harness.settle()
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("An operation follows another one though its pass has lifts to begin that have no end")
  func law11_operationBesideEndlessLift() async {
    let store = JournalStore(state: Journal(), env: (), executor: ThreadExecutor())
    let (other, up) = (harness.store(), harness.store())
    let endless = EndlessEffect()
    up.bind(id: "b", to: store, on: \.count) { count in
      // In the middle of the sets.
      if count == 10 { store.receive(.concatenate(.join("x"), .lift(endless.count(), to: other)).id("y")) }
      return .none
    }
    let outcome = await store.run(.concatenate(.task { Self.sets(2_000).id("x") }, endless.operation()))
    await store.run(.join("y"))
    #expect(outcome.word == "finished" && store.log == ["operation"])
    #expect(other.other < EndlessEffect.limit)
    #expect((store.remains + other.remains) == [])
  }

  @Test("An operation follows another one though what that has cancelled lets another store continue without an end")
  func law11_operationBesideEndlessStore() async {
    let store = JournalStore(state: Journal(), env: (), executor: ThreadExecutor())
    let other = harness.store()
    let endless = EndlessEffect()
    other.receive(.concatenate(.lift(.sleep(.seconds(3_600)).id("e"), to: store), endless.count()).id("y"))
    let outcome = await store.run(.concatenate(.task { .cancel("e") }, endless.operation()))
    await other.run(.join("y"))
    #expect(outcome.word == "finished" && store.log == ["operation"])
    #expect((1..<EndlessEffect.limit).contains(other.other))
    #expect((store.remains + other.remains) == [])
  }

  @Test("Later deadlines do not wait for an endless prefix behind a lift or in one")
  func law11_endlessBehindLift() {
    let soon = Effect.sleep(.seconds(1))
    checkLaterDeadline { .concatenate(soon, .lift(.log("lifted"), to: $1), $0) }
    checkLaterDeadline { .concatenate(soon, .lift($0, to: $1)) }
    checkLaterDeadline { endless, other in
      .timer(.seconds(1), id: "timer") { $0.index == 1 ? .lift(endless, to: other) : .none }
    }
    checkLaterDeadline { endless, other in
      let failing = Effect.race(.fail("x"), soon.id("s"), goal: .firstToSucceed)
      return .merge(
        failing.recover { _ in .concatenate(.lift(.log("lifted"), to: other), endless) },
        .concatenate(.sleep(.milliseconds(500)), .cancel("s")))
    }
  }

  /// Checks that a deadline comes while an effect is interpreted that takes time and has no end.
  ///
  /// - Parameter make: makes an effect from the endless one and another store.
  private func checkLaterDeadline(of make: (Effect, JournalStore) -> Effect) {
    let (store, other) = (harness.store(), harness.store())
    let (harness, limit) = (harness, 400_000)
    @Sendable func endless() -> Effect {
      .update { state in
        state.count += 1
        if state.count % 1_000 == 0 { harness.spend(.milliseconds(100)) }
        // The limit is for a deadline that never comes.
        return state.count < limit ? endless() : .none
      }
    }
    store.receive(make(endless(), other).id("endless"))
    store.receive(.concatenate(.sleep(.seconds(3)), .log("later"), .cancel("endless")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["later"])
    #expect((1..<limit).contains(store.count + other.count))
    #expect(store.remains + other.remains == [])
  }

  @Test("An operation that is cancelled while its pass has more to do for others never runs")
  func law08_cancelBeforeOperation() {
    let (store, up) = (harness.store(), harness.store())
    let hasRun = Note(false)
    up.bind(id: "b", to: store, on: \.count) { count in
      if count == 10 {
        store.receive(.concatenate(effects: [.join("x")] + (1...5_000).map { .set(\.other, to: $0) }))
      }
      // The last of the sets: the operation behind them is the next.
      if count == 2_000 { store.receive(.cancel("s")) }
      return .none
    }
    let next = Effect.task {
      hasRun.value = true
      return .none
    }
    let handle = store.receive(.concatenate(.task { Self.sets(2_000).id("x") }, next).id("s"))
    harness.settle()
    #expect(!hasRun.value)
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect((store.count, store.other) == (2_000, 5_000))
    #expect(store.remains == [])
  }

  @Test("A lift follows another one though its pass has more to do for others")
  func law21_liftBehindALongPass() {
    let (store, other, up) = (harness.store(), harness.store(), harness.store())
    let isFirst = Note(true)
    up.bind(id: "b", to: store, on: \.count) { value in
      if value >= 5, isFirst.value {
        isFirst.value = false
        store.receive(Self.sets(5_000).id("q", .queue()))
      }
      return .none
    }
    let handle = store.receive(
      .concatenate(.lift(.log("1"), to: other), Self.sets(10).id("q", .queue()), .lift(.logTask("2"), to: other)).id(
        "s"))
    harness.settle()
    #expect(other.log == ["1", "2"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("Lifts that wait for each other in a queue follow each other without a stack", arguments: [false, true])
  func law23_queuedLifts(joins: Bool) {
    let (store, other) = (harness.store(), harness.store())
    let holder = store.receive(.sleep(.seconds(9)).id(0, .queue()))
    let count = TestSize.many(20_000)
    for number in 1...count {
      let lift = Effect.lift(.set { $0.count += 1 }, to: other)
      store.receive(joins ? .concatenate(.join(number - 1), lift).id(number) : lift.id(0, .queue()))
    }
    holder.cancel()
    harness.settle()
    #expect(other.count == count)
    #expect(store.remains == [])
  }

  @Test("A cleanup that has not begun when the lock is given up is not lost to a cancel")
  func law12_cleanupBetweenLocks() {
    for length in 1_000...1_060 {
      let (store, up) = (harness.store(), harness.store())
      up.bind(id: "b", to: store, on: \.count) { count in
        if count == length { store.receive(.cancel("f")) }
        return .none
      }
      store.receive(Self.sets(length).finally(.set { $0.other += 1 }).id("f"))
      harness.settle()
      #expect(store.other == 1, "\(length)")
      #expect(store.remains == [])
    }
  }

  @Test("A long sequence of sets is cancelled between two locks, and undoes what had completed")
  func law25_cancelBetweenLocks() {
    let (store, up) = (harness.store(), harness.store())
    up.bind(id: "b", to: store, on: \.count) { count in
      if count > 0 { store.receive(.cancel("s")) }
      return .none
    }
    let first = Effect.set { $0.other += 1 }.compensate(with: .log("undone"))
    let sets = (1...20_000).map { number in Effect.set { $0.count = number } }
    let handle = store.receive(.sequence(effects: [first] + sets).id("s"))
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect((1...2_000).contains(store.count))
    #expect(store.log == ["undone"])
    #expect(store.remains == [])
  }

  @Test("Effects that a deadline has begun keep no other deadline waiting, however long they are")
  func law11_endlessAfterASleep() {
    let store = harness.store()
    @Sendable func endless() -> Effect {
      .update { state in
        state.count += 1
        return state.count > 400_000 ? .none : endless()
      }
    }
    store.receive(.concatenate(.sleep(.seconds(1)), endless()).timeout(.seconds(2), else: .log("late")))
    store.receive(.concatenate(.sleep(.seconds(2)), .log("on time")))
    // Both deadlines are due when the alarm rings.
    harness.jump(by: .seconds(2))
    #expect(store.log == ["late", "on time"])
    // The timeout has ended the long pass, which a task continues.
    #expect(store.count < 400_000)
    #expect(store.remains == [])
  }

  @Test("An error that nobody needs any more may call the store when it goes")
  func lettingGoOfErrors() {
    final class Farewell: Error, Sendable {
      let store: JournalStore
      init(_ store: JournalStore) { self.store = store }
      deinit { store.receive(.set { $0.count += 1 }) }
    }
    let store = harness.store()
    let failing = Effect.task { [weak store] in
      if let store { throw Farewell(store) }
      return .none
    }
    store.receive(.race(failing, failing, goal: .firstToSucceed))
    store.receive(failing.retry(.constant(.zero).limitedTo(attempts: 3)))
    harness.settle()
    #expect(store.count == 5)

    // The sequence has been cancelled meanwhile, and is over only when another member has returned.
    let gate = Gate()
    let stubborn = Effect.task {
      await gate.wait()
      return .none
    }
    let handle = store.receive(.sequence(.merge(stubborn, failing)))
    harness.settle()
    handle.cancel()
    gate.open()
    harness.settle()
    #expect(store.count == 6)
    #expect(store.remains == [])
  }
}

private enum Caller {
  @TaskLocal static var name = ""
}
