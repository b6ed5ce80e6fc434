import Testing

@testable import AsyncStore

@Suite("Laws 6 and 7 from inside other calls, and across stores")
struct BarrierLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// A lifted operation that ignores its cancellation, and what is known of it.
  struct Victim {
    let store: JournalStore
    let gate = Gate()
    let isAsked = Note(false)

    var effect: Effect {
      .task { [gate, isAsked] in
        await withTaskCancellationHandler {
          await gate.wait()
        } onCancel: {
          isAsked.value = true
        }
        return .log("never")
      }
    }
  }

  func victim() -> Victim { Victim(store: harness.store()) }

  /// Opens the gate, and expects that nothing comes of it.
  func expectBarred(_ victims: Victim..., sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    for victim in victims { victim.gate.open() }
    harness.settle()
    for victim in victims { #expect(victim.store.log == [], sourceLocation: sourceLocation) }
  }

  // MARK: Law 7

  @Test("A cancel from an operation's cancellation handler has reached the other stores when it returns")
  func law07_fromACancellationHandler() {
    let store = harness.store()
    let (first, second) = (harness.store(), victim())
    let seen = Note<Bool?>(nil)
    store.receive(
      .lift(
        .task {
          try await withTaskCancellationHandler {
            try await Gate().waitUnlessCancelled()
          } onCancel: {
            store.receive(.cancel("second"))
            seen.value = second.isAsked.value
          }
          return .none
        }, to: first
      ).id("first"))
    store.receive(.lift(second.effect, to: second.store).id("second"))
    harness.settle()
    store.receive(.cancel("first"))
    #expect(seen.value == true)
    expectBarred(second)
  }

  @Test("A cancel of the same identifier from within finishes what the outer one has begun")
  func law07_sameIdentifierFromWithin() {
    let store = harness.store()
    let (first, second) = (harness.store(), victim())
    let seen = Note<Bool?>(nil)
    let asking = Effect.task {
      try await withTaskCancellationHandler {
        try await Gate().waitUnlessCancelled()
      } onCancel: {
        store.receive(.cancel("both"))
        seen.value = second.isAsked.value
      }
      return .none
    }
    store.receive(.merge(.lift(asking, to: first), .lift(second.effect, to: second.store)).id("both"))
    harness.settle()
    store.receive(.cancel("both"))
    #expect(seen.value == true)
    expectBarred(second)
  }

  /// Cancels when it is told of a cancelled effect.
  final class Cancelling: StoreInstrument {
    let action = Note<(@Sendable () -> Void)?>(nil)

    func record(_ event: InstrumentEvent) {
      guard case .cancelled = event, let action = action.value else { return }
      self.action.value = nil
      action()
    }
  }

  @Test("A cancel from an instrument has reached the other stores when it returns")
  func law07_fromAnInstrument() {
    let instrument = Cancelling()
    let (store, first, second) = (harness.store(), harness.store(instrument: instrument), victim())
    let gate = Gate()
    store.receive(.lift(.logTask("never", after: gate), to: first).id("first"))
    store.receive(.lift(second.effect, to: second.store).id("second"))
    harness.settle()
    let seen = Note<Bool?>(nil)
    instrument.action.value = {
      store.receive(.cancel("second"))
      seen.value = second.isAsked.value
    }
    store.receive(.cancel("first"))
    #expect(seen.value == true)
    expectBarred(second)
  }

  @Test("A cancel from a binding that a lifted clean-up sets off has reached the other stores when it returns")
  func law07_fromABindingOfACleanup() {
    let (store, first, second, bound) = (harness.store(), harness.store(), victim(), harness.store())
    let seen = Note<Bool?>(nil)
    bound.bind(id: "b", to: first, on: \.count) { count in
      guard count > 0 else { return .none }
      store.receive(.cancel("second"))
      seen.value = second.isAsked.value
      return .none
    }
    store.receive(.lift(.sleep(.seconds(9)).finally(.set(\.count, to: 1)), to: first).id("first"))
    store.receive(.lift(second.effect, to: second.store).id("second"))
    harness.settle()
    store.receive(.cancel("first"))
    #expect(seen.value == true)
    expectBarred(second)
  }

  @Test("Deactivating from within has reached the other stores when it returns")
  func law07_deactivateFromWithin() {
    let (store, other) = (harness.store(), harness.store())
    let (first, second) = (harness.store(), victim())
    let seen = Note<Bool?>(nil)
    store.receive(
      .lift(
        .task {
          try await withTaskCancellationHandler {
            try await Gate().waitUnlessCancelled()
          } onCancel: {
            other.deactivate()
            seen.value = second.isAsked.value
          }
          return .none
        }, to: first
      ).id("first"))
    other.receive(.lift(second.effect, to: second.store))
    harness.settle()
    store.receive(.cancel("first"))
    #expect(seen.value == true)
    expectBarred(second)
  }

  @Test("An effect behind a cancel begins when the barrier has reached the other stores")
  func law07_insideATree() {
    let (store, other) = (harness.store(), victim())
    let deeper = harness.store()
    let seen = Note<Bool?>(nil)
    store.receive(.lift(.lift(other.effect, to: other.store), to: deeper).id("a"))
    harness.settle()
    store.receive(
      .concatenate(
        .cancel("a"),
        .read { _ in
          seen.value = other.store.inFlight.allSatisfy(\.isCancelled)
          return .none
        }))
    #expect(seen.value == true)
    expectBarred(other)
  }

  @Test("An effect that replaces another one begins when the barrier has reached the other stores")
  func law10_acrossStores() {
    let (store, other) = (harness.store(), victim())
    let seen = Note<Bool?>(nil)
    store.receive(.lift(other.effect, to: other.store).id("a"))
    harness.settle()
    store.receive(
      .read { _ in
        seen.value = other.store.inFlight.allSatisfy(\.isCancelled)
        return .none
      }.id("a"))
    #expect(seen.value == true)
    expectBarred(other)
  }

  @Test("A clean-up begins after that of what was lifted into another store")
  func law12_cleanupsAcrossStores() {
    let (store, other) = (harness.store(), harness.store())
    let order = Note<[String]>([])
    func step(_ name: String) -> Effect {
      .task {
        order.change { $0.append(name) }
        return .none
      }
    }
    let inner = Effect.sleep(.seconds(9)).finally(.concatenate(.sleep(.seconds(1)), step("inner")))
    store.receive(.lift(inner, to: other).finally(step("outer")).id("a"))
    store.receive(.cancel("a"))
    harness.advance(by: .seconds(1))
    #expect(order.value == ["inner", "outer"])
    #expect(store.remains == [])
    #expect(other.remains == [])
  }

  // MARK: Law 6

  @Test("A lift's prefix is complete when a receive from a binding's mapping returns")
  func law06_fromABinding() {
    let (store, other, up) = (harness.store(), harness.store(), harness.store())
    let seen = Note<[Int]>([])
    store.bind(id: "b", to: up, on: \.count) { count in
      guard count > 0 else { return .none }
      store.receive(.concatenate(.lift(.set(\.count, to: 7), to: other), .set(\.count, to: 8)))
      seen.value = [other.count, store.count]
      return .none
    }
    store.receive(.lift(.set(\.count, to: 1), to: up))
    #expect(seen.value == [7, 8])
  }

  @Test("A lift's prefix is complete when a receive from an instrument returns, however deep")
  func law06_fromAnInstrument() {
    final class Receiving: StoreInstrument {
      let action = Note<(@Sendable () -> Void)?>(nil)

      func record(_ event: InstrumentEvent) {
        guard case .committed = event, let action = action.value else { return }
        self.action.value = nil
        action()
      }
    }
    let instrument = Receiving()
    let (store, other, third) = (harness.store(), harness.store(instrument: instrument), harness.store())
    let seen = Note<[Int]>([])
    instrument.action.value = {
      store.receive(
        .merge(
          .concatenate(.lift(.lift(.set(\.count, to: 7), to: third), to: store), .set(\.count, to: 8)),
          .lift(.set(\.other, to: 9), to: third)))
      seen.value = [third.count, store.count, third.other]
    }
    store.receive(.lift(.set(\.count, to: 1), to: other))
    #expect(seen.value == [7, 8, 9])
  }

  // MARK: Mappings after their end

  /// How a binding ends.
  enum End: String, CaseIterable, Sendable {
    case cancel, rebind, deactivate, shutdown
  }

  @Test("Values that are queued when a binding ends are not mapped any more", arguments: End.allCases)
  func law07_queuedValues(end: End) {
    let (store, up) = (harness.store(), harness.store())
    let mapped = Note<[Int]>([])
    store.bind(id: "b", to: up, on: \.count) { count in
      mapped.change { $0.append(count) }
      guard count == 1 else { return .none }
      // These are queued behind this value.
      for value in 2...1_000 { up.receive(.set(\.count, to: value)) }
      switch end {
      case .cancel: store.receive(.cancel("b"))
      case .rebind: store.bind(id: "b", to: up, on: \.other) { _ in .none }
      case .deactivate: store.deactivate()
      case .shutdown: _ = harness.start { try await store.shutdown() }; harness.settle()
      }
      return .none
    }
    up.receive(.set(\.count, to: 1))
    harness.settle()
    #expect(mapped.value == [0, 1])
  }

  @Test("An element that comes after a stream was cancelled is not mapped, even if the sequence goes on")
  func law07_elementsAfterTheEnd() {
    struct Stubborn: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let gate: Gate
      var next = 0

      func makeAsyncIterator() -> Self { self }
      mutating func next() async -> Int? {
        if next == 1 { await gate.wait() }
        next += 1
        return next <= 3 ? next : nil
      }
      mutating func next(isolation actor: isolated (any Actor)?) async -> Int? { await next() }
    }
    let store = harness.store()
    let gate = Gate()
    let mapped = Note<[Int]>([])
    store.bind(id: "s", stream: Stubborn(gate: gate)) { element in
      mapped.change { $0.append(element) }
      return .none
    }
    harness.settle()
    store.receive(.cancel("s"))
    gate.open()
    harness.settle()
    #expect(mapped.value == [1])
    #expect(store.remains == [])
  }

  @Test("A tick that is due is not mapped when what comes before it has cancelled the timer")
  func law07_tickAfterTheEnd() {
    let store = harness.store()
    let ticks = Note(0)
    let asked = Effect.task {
      try await withTaskCancellationHandler {
        try await Gate().waitUnlessCancelled()
      } onCancel: {
        store.receive(.cancel("t"))
      }
      return .none
    }
    // Both are due at once.
    store.receive(asked.timeout(.seconds(1)))
    store.receive(
      .timer(.seconds(1), id: "t") { _ in
        ticks.change { $0 += 1 }
        return .none
      })
    harness.advance(by: .seconds(5))
    #expect(ticks.value == 0)
  }

  // MARK: Law 11

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

  @Test("What goes on after the cancel of a part of a prefix is still part of that prefix")
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

  // MARK: Between two locks

  /// So many sets.
  static func sets(_ count: Int) -> Effect { .concatenate(effects: (1...count).map { .set(\.count, to: $0) }) }

  @Test("A task goes on with its next operation though its pass has more to do for others", arguments: [10, 2_000])
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
    for number in 1...20_000 {
      let lift = Effect.lift(.set { $0.count += 1 }, to: other)
      store.receive(joins ? .concatenate(.join(number - 1), lift).id(number) : lift.id(0, .queue()))
    }
    holder.cancel()
    harness.settle()
    #expect(other.count == 20_000)
    #expect(store.remains == [])
  }

  @Test("A clean-up that has not begun when the lock is given up is not lost to a cancel")
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

  @Test("What a deadline has begun keeps no other deadline waiting, however long it is")
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
    // One step after the other: the long pass is a task of its own by now.
    harness.advance(by: .seconds(2))
    #expect(store.log.contains("on time"))
    harness.settle()
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
  }
}
