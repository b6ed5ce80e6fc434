import Testing

@testable import AsyncStore

@Suite("A store's answers to bad input")
struct MisuseTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// Returns the standard error of the process that ended.
  func says(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("A mutation that calls its own store traps and says what to do")
  func reentrantMutationTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: ())
      store.receive(.set { _ in store.receive(.log("never")) })
    }
    #expect(says(result).contains("called the store itself"))
  }

  @Test("A mutation that reads its own store traps")
  func reentrantReadTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: ())
      store.receive(.concatenate(.sleep(.zero), .update { _ in .log("\(store.count)") }))
    }
    #expect(says(result).contains("called the store itself"))
  }

  @Test("A closure that is given the state, and asks the store for more, traps")
  func reentrantWithStateTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: ())
      _ = store.withState { _ in store.isActive }
    }
    #expect(says(result).contains("called the store itself"))
  }

  /// A state whose parts call a store.
  struct Meddling: Sendable {
    static let store = AsyncStore(state: Meddling(), env: ())
    var number = 0

    /// Reads the store.
    var computed: Int { Self.store.number }

    /// A part whose comparison reads the store.
    struct Part: Equatable, Sendable {
      static func == (left: Part, right: Part) -> Bool { Meddling.store.number == 0 }
    }

    var part = Part()
  }

  @Test("A getter that calls the store that it is read from traps as a mutation does")
  func reentrantGetterTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Meddling.store.computed
    }
    #expect(says(result).contains("called the store itself"))
  }

  @Test("A comparison of a bound property that calls the store traps as a mutation does")
  func reentrantComparisonTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Meddling.store.bind(id: "b", to: \.part) { _ in .none }
      Meddling.store.receive(.set(\.number, to: 1))
    }
    #expect(says(result).contains("called the store itself"))
  }

  @Test("A mutation may call another store")
  func mutationMayCallAnotherStore() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(.set { _ in other.receive(.log("1")) })
    #expect(other.log == ["1"])
  }

  @Test("A timer needs an interval above zero")
  func timerInterval() async {
    var result: ExitTest.Result?
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.timer(.zero, id: "t") { _ in .none }
    }
    #expect(says(result).contains("interval must be above zero, not 0"))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.timer(-1.0, id: "t") { _ in .none }
    }
    #expect(says(result).contains("interval must be above zero, not -1"))
  }

  @Test("A number of seconds must be finite")
  func finiteSeconds() async {
    var result: ExitTest.Result?
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.sleep(Double.nan)
    }
    #expect(says(result).contains("must be finite, not nan."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.debounce({ .none }, for: Double.infinity, id: "d")
    }
    #expect(says(result).contains("must be finite, not inf."))
  }

  @Test("Limits and capacities that make no sense trap, and say what would")
  func limits() async {
    var result: ExitTest.Result?
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.merge(effects: [.none], limit: 0)
    }
    #expect(says(result).contains("A merge's limit must be at least 1, not 0."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = IdentifierPolicy.atMost(0)
    }
    #expect(says(result).contains("The number of effects at once must be at least 1, not 0."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = IdentifierPolicy.queue(capacity: -1)
    }
    #expect(says(result).contains("A queue's capacity must be at least 0, not -1."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StreamStrategy.serial(capacity: 0)
    }
    #expect(says(result).contains("A serial stream's buffer must hold at least 1 value, not 0."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ValueBuffering.newest(0)
    }
    #expect(says(result).contains("A reader's buffer must hold at least 1 value, not 0."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetrySchedule.constant(.zero).jittered(by: 2)
    }
    #expect(says(result).contains("a fraction from 0 to 1, not 2"))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetrySchedule.constant(.zero).limitedTo(attempts: 0)
    }
    #expect(says(result).contains("at least 1 attempt, not 0. With 1 it retries nothing."))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = JournalStore.Effect.sleep(1).throttle(for: .seconds(1), id: "x", edges: [])
    }
    #expect(says(result).contains("without an edge would never run"))
  }

  @Test("A clock that fails stops the program, because the store's time would stand still")
  func failingClock() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: (), clock: BrokenClock())
      await store.run(.sleep(.seconds(1)))
    }
    #expect(says(result).contains("The store's clock threw from a sleep that was not cancelled: broken. "))
  }

  @Test("A clock that throws CancellationError without a cancel stops the program, and not the store's time")
  func cancellingClock() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: (), clock: BrokenClock(error: CancellationError()))
      await store.run(.sleep(.seconds(1)))
    }
    #expect(says(result).contains("a sleep that was not cancelled: CancellationError(). "))
  }

  @Test("A clock that fails in a limit in time stops the program, because the limit would be none")
  func failingLimit() async {
    let words = "The store's clock threw from a sleep that was not cancelled: broken. "
    var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, gate) = (JournalStore(state: Journal(), env: (), clock: BrokenClock()), Gate())
      store.receive(.logTask("never", after: gate))
      try await store.shutdown(drain: .seconds(1))
    }
    #expect(says(result).contains(words))
    result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: (), clock: BrokenClock())
      try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(1))
    }
    #expect(says(result).contains(words))
  }

  @Test("A delay of zero or less runs its effect at once")
  func delaysOfZero() {
    let store = harness.store()
    store.receive(.sleep(-1.0))
    store.receive(.debounce({ .log("debounced") }, for: -1.0, id: "d"))
    store.receive(.log("throttled").throttle(for: .zero, id: "x"))
    store.receive(.log("again").throttle(for: .seconds(-1), id: "x"))
    store.receive(.log("never").timeout(.seconds(-1), else: .log("else")))
    harness.settle()
    #expect(store.log == ["throttled", "again", "else", "debounced"])
    #expect(store.remains == [])
  }

  @Test("A retry without a delay that never succeeds still gives way to a cancel")
  func endlessRetryGivesWay() {
    let store = harness.store()
    let attempts = Note(0)
    store.receive(
      Effect.task {
        attempts.change { $0 += 1 }
        throw Failure("x")
      }.retry(.constant(.seconds(-1))).id("a"))
    for _ in 0..<100 { harness.step() }
    #expect(attempts.value > 10)
    store.receive(.cancel("a"))
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("The same effect may be received twice, by several stores, and stand twice in one tree")
  func duplicates() {
    let (store, other) = (harness.store(), harness.store())
    let effect = Effect.concatenate(.logTask("a"), .log("b"))
    store.receive(.merge(effect, effect, effect))
    other.receive(effect)
    store.receive(effect)
    harness.settle()
    #expect(store.log.sorted() == ["a", "a", "a", "a", "b", "b", "b", "b"])
    #expect(other.log == ["a", "b"])
  }

  @Test("A join of itself, of nothing and of unknown identifiers continues")
  func joins() {
    let store = harness.store()
    store.receive(.concatenate(.join(), .join("unknown"), .join(prefix: "unknown"), .log("1")))
    store.receive(.concatenate(.join("a"), .log("2")).id("a"))
    #expect(store.log == ["1", "2"])
    #expect(store.remains == [])
  }

  @Test("Cancelling an empty list of identifiers cancels nothing")
  func cancelOfAnEmptyList() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1)).id("a"))
    store.receive(.cancel(ids: [String]()))
    #expect(store.inFlight.count == 1)
    store.deactivate()
  }

  @Test("Bindings and values of a store that is not active end at once")
  func inactiveUpstream() throws {
    let (up, down) = (harness.store(), harness.store())
    up.deactivate()
    down.bind(id: "b", to: up, on: \.count) { _ in .log("never") }
    down.bind(id: "c", to: \.count) { _ in .none }
    up.bind(id: "d", to: down, on: \.count) { _ in .log("never") }
    #expect(try harness.wait { await up.values(of: \.count).reduce(0) { sum, _ in sum + 1 } } == 0)
    #expect(down.log == [])
    #expect(up.log == [])
    #expect(down.inFlight.compactMap(\.identifier) == ["c"])
    down.deactivate()
  }
}

/// A clock on which a sleep always throws.
private struct BrokenClock: Clock {
  let clock = ContinuousClock()
  var error: any Error = Failure("broken")
  var now: ContinuousClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw error }
}
