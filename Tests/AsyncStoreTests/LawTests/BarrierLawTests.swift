import Testing

@testable import AsyncStore

@Suite("Laws 6, 7, 10 and 12 from inside other calls, and across stores")
struct BarrierLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// A lifted operation that ignores its cancellation, and a record of that cancellation.
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

  /// Opens the gates, and expects that the operations commit nothing.
  func expectBarred(_ victims: Victim..., sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    for victim in victims { victim.gate.open() }
    harness.settle()
    for victim in victims { #expect(victim.store.log == [], sourceLocation: sourceLocation) }
  }

  // MARK: Law 7

  @Test("A prefix that a cancellation handler sends is committed when receive returns, with its lifts")
  func law06_prefixInACancellationHandler() {
    let (store, other) = (harness.store(), harness.store())
    let seen = Note<[[String]]>([])
    let operation = Effect.task {
      try await withTaskCancellationHandler {
        try await Gate().waitUnlessCancelled()
      } onCancel: {
        store.receive(.concatenate(.log("a"), .lift(.log("lifted"), to: other), .log("b"), .logTask("later")))
        seen.value = [store.log, other.log]
      }
      return .none
    }
    store.receive(operation.id("x"))
    harness.settle()
    store.receive(.cancel("x"))
    #expect(seen.value == [["a", "b"], ["lifted"]])
  }

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

  /// Performs its action when it is notified of a cancelled effect.
  final class Cancelling: StoreInstrument {
    let action = Note<(@Sendable () -> Void)?>(nil)

    func record(_ event: InstrumentEvent) {
      guard case .cancelled = event.kind, let action = action.value else { return }
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

  @Test("A cancel from a binding that a lifted cleanup sets off has reached the other stores when it returns")
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

  @Test("A cleanup begins after that of an effect that was lifted into another store")
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
        guard case .committed = event.kind, let action = action.value else { return }
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

  /// The ways in which a binding ends.
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

  @Test("An element that comes after a stream was cancelled is not mapped, even if the sequence continues")
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

  @Test("A due tick is not mapped if an earlier effect has cancelled the timer")
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
}
