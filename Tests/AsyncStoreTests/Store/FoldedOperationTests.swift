import AsyncStoreTesting
import Testing

@testable import AsyncStore

/// A store without an instrument against one with an instrument, which runs each such operation in fibers of its own.
@Suite("An operation that one fiber runs together with what encloses it")
struct FoldedOperationTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let gate = Gate()

  private final class Watcher: StoreInstrument {
    let events = EventKinds.all
    func record(_ event: InstrumentEvent) {}
  }

  enum Shape: CaseIterable { case limit, limitInRetry, undone, all, other, inList, alone }

  private func operation(_ shape: Shape, _ body: @escaping @Sendable () async throws -> Effect) -> Effect {
    let task = Effect.task(body)
    let limited = task.timeout(.seconds(5), else: .set { $0.log.append("late") })
    let retried = limited.retry(.constant(.seconds(1)).limitedTo(attempts: 2))
    let undo = Effect.set { $0.log.append("undone") }
    let enclosed: Effect =
      switch shape {
      case .limit, .inList, .alone: limited
      case .limitInRetry: retried
      case .undone: task.compensate(with: undo)
      case .all: retried.compensate(with: undo)
      case .other: task.compensate(with: undo).timeout(.seconds(5), else: .none)
      }
    let behind = Effect.set { $0.log.append("behind") }
    return switch shape {
    case .alone: enclosed
    case .inList: .concatenate(.sleep(.seconds(1)), enclosed, behind, enclosed)
    default: .sequence(.sleep(.seconds(1)), enclosed, behind)
    }
  }

  /// Returns what the list says of each effect, without numbers that differ between stores.
  private func list(_ store: JournalStore) -> [String] {
    let inFlight = store.inFlight
    return inFlight.map { effect in
      let parent = inFlight.firstIndex { $0.id == effect.parent }
      return "\(effect.kind) \(effect.detail) \(effect.wait) under \(parent ?? -1), \(effect.depth), "
        + "\(effect.age), \(effect.remaining ?? .zero), \(effect.isCancelled), \(effect.isAwaited)"
    }
  }

  @Test(
    "A folded operation is listed as in a store with an instrument, and has the same numbers again",
    arguments: Shape.allCases)
  func listing(shape: Shape) throws {
    let stores = [harness.store(), harness.store(instrument: Watcher())]
    for store in stores {
      store.receive(
        operation(shape) { [gate] in
          await gate.wait(); return .none
        }.id("order"))
    }
    harness.advance(by: .seconds(3))
    let counts = stores.map(\.inFlightCount)
    let lists = stores.map(list)
    #expect(lists[0] == lists[1])
    #expect(lists[0].count >= 2)
    #expect(counts == lists.map(\.count))
    #expect(stores[0].inFlightCount == counts[0])
    #expect(stores[0].inFlight.map(\.id) == stores[0].inFlight.map(\.id))
    gate.open()
    harness.settle()
    #expect(stores.map(\.state.log) == Array(repeating: shape == .alone ? [] : ["behind"], count: 2))
    #expect(stores.map(\.remains) == [[], []])
  }

  enum End: CaseIterable { case nothing, effect, failure, deadline, cancel, shutdown }

  @Test(
    "A folded operation ends as in a store with an instrument, even after a look at it", arguments: Shape.allCases,
    End.allCases)
  func ending(shape: Shape, end: End) throws {
    for looks in [false, true] {
      let stores = [harness.store(), harness.store(instrument: Watcher())]
      let gate = Gate()
      let effect = operation(shape) {
        try await gate.waitUnlessCancelled()
        if end == .failure { throw Failure("bad") }
        return end == .effect ? .concatenate(.set { $0.log.append("returned") }, .sleep(.seconds(9))) : .none
      }
      let handles = stores.map { $0.receive(effect.id("order")) }
      harness.advance(by: .seconds(2))
      if looks { for store in stores { #expect(!store.inFlight.isEmpty) } }
      switch end {
      case .nothing, .effect, .failure: gate.open()
      case .deadline: harness.advance(by: .seconds(6))
      case .cancel: for store in stores { store.receive(.cancel("order")) }
      case .shutdown: for store in stores { _ = try harness.wait { try await store.shutdown(drain: .zero) } }
      }
      harness.settle()
      let lists = stores.map(list)
      #expect(lists[0] == lists[1])
      harness.advance(by: .seconds(60))
      gate.open()
      harness.advance(by: .seconds(60))
      #expect(stores[0].state == stores[1].state)
      let outcomes = try harness.wait { [await handles[0].outcome, await handles[1].outcome].map { "\($0)" } }
      #expect(outcomes[0] == outcomes[1])
      #expect(stores.map(\.remains) == [[], []])
    }
  }

  @Test("A folded operation needs fibers for what encloses it only when somebody looks")
  func fibers() {
    let store = harness.store()
    store.receive(
      operation(.all) { [gate] in
        await gate.wait(); return .none
      })
    harness.advance(by: .seconds(1))
    let before = store.runtime.lock { $0.machine.fibers.liveCount }
    #expect(before == 2)
    #expect(store.inFlight.count == 5)
    #expect(store.runtime.lock { $0.machine.fibers.liveCount } == 5)
    gate.open()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("A folded operation may begin and be too late in one late alarm", arguments: Shape.allCases)
  func lateAlarm(shape: Shape) {
    let stores = [harness.store(), harness.store(instrument: Watcher())]
    for store in stores {
      store.receive(
        operation(shape) { [gate] in
          try await gate.waitUnlessCancelled()
          return .none
        })
    }
    harness.jump(by: .seconds(10))
    let lists = stores.map(list)
    #expect(lists[0] == lists[1])
    gate.open()
    harness.advance(by: .seconds(60))
    #expect(stores[0].state == stores[1].state)
    #expect(stores.map(\.remains) == [[], []])
  }

  @Test(
    "A folded operation behind a lift is listed and ends as in a store with an instrument", arguments: [false, true])
  func behindLift(isIntoOwnStore: Bool) {
    let stores = [harness.store(), harness.store(instrument: Watcher())]
    let other = harness.store()
    for store in stores {
      let lifted = Effect.lift(.sleep(.seconds(1)), to: isIntoOwnStore ? store : other)
      let limited = Effect.task { [gate] in
        try await gate.waitUnlessCancelled()
        return .none
      }.timeout(.seconds(5), else: .set { $0.log.append("late") })
      store.receive(.concatenate(lifted, limited, lifted).id("all"))
    }
    harness.advance(by: .seconds(3))
    #expect(list(stores[0]) == list(stores[1]))
    harness.advance(by: .seconds(4))
    let lists = stores.map(list)
    #expect(lists[0] == lists[1])
    for store in stores { store.receive(.cancel("all")) }
    harness.settle()
    #expect(stores.map(\.state.log) == [["late"], ["late"]])
    #expect(stores.map(\.remains) == [[], []])
  }

  @Test("A folded operation is tried again after the same delays, even after a look at it", arguments: [false, true])
  func delays(looks: Bool) {
    let stores = [harness.store(), harness.store(instrument: Watcher())]
    let begun = [Note<[TestClock.Instant]>([]), Note<[TestClock.Instant]>([])]
    for (store, begun) in zip(stores, begun) {
      let failing = Effect.task { [clock = harness.clock, gate] in
        begun.change { $0.append(clock.now) }
        await gate.wait()
        throw Failure("bad")
      }
      let retried = failing.timeout(.seconds(50), else: .none)
        .retry(.exponential(first: .seconds(1)).jittered(by: 0.5).limitedTo(attempts: 5))
      store.receive(.sequence(.sleep(.seconds(1)), retried.compensate(with: .set { $0.count += 1 })))
    }
    harness.advance(by: .seconds(2))
    if looks { for store in stores { #expect(store.inFlight.count > 1) } }
    gate.open()
    harness.advance(by: .seconds(100))
    #expect(begun[0].value == begun[1].value)
    #expect(begun[0].value.count == 5)
    #expect(stores.map(\.remains) == [[], []])
  }
}
