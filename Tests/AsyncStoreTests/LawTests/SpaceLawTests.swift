import Testing

@testable import AsyncStore

/// Uses a million nodes and ten million steps in optimized builds; see ``TestSize``.
@Suite("Law 23: space", .serialized)
struct SpaceLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  static let nodes = TestSize.nodes
  static var steps: Int { 10 * nodes }

  /// The sizes that grow if something is not given back.
  struct Room: Sendable, Equatable {
    var fibers = 0
    var frames = 0
    var directives = 0
    var ready = 0

    mutating func include(_ store: JournalStore) {
      let now = store.runtime.lock { core in
        Room(
          fibers: core.machine.fibers.count, frames: core.machine.allFibers.map { $0.outer.count }.max() ?? 0,
          directives: core.pass.directives.capacity, ready: core.machine.ready.count)
      }
      fibers = max(fibers, now.fibers)
      frames = max(frames, now.frames)
      directives = max(directives, now.directives)
      ready = max(ready, now.ready)
    }
  }

  @Test("A task that returns a task, and a concatenate whose last member does, run in constant memory")
  func law23_tailPositionCostsNothing() {
    let store = harness.store()
    let census = Census()
    let room = Note(Room())
    @Sendable func step(_ remaining: Int) -> Effect {
      let canary = census.canary()
      return .task { [weak store] in
        if remaining.isMultiple(of: 65_536), let store { room.change { $0.include(store) } }
        return withExtendedLifetime(canary) {
          if remaining == 0 { return .log("done") }
          let next = step(remaining - 1)
          return remaining.isMultiple(of: 2) ? next : .concatenate(.set { $0.count += 1 }, next)
        }
      }
    }
    let handle = store.receive(step(Self.steps))
    harness.settle()
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.count == Self.steps / 2)
    #expect(store.log == ["done"])
    #expect(census.most <= 4)
    #expect(census.alive == 0)
    #expect(room.value.fibers <= 2)
    #expect(room.value.frames <= 1)
    #expect(room.value.directives <= 64)
    #expect(store.remains == [])
  }

  @Test("A recursion through sleeps, identifiers and computed effects runs in constant memory")
  func law23_otherTailPositions() {
    let store = harness.store()
    let room = Note(Room())
    @Sendable func step(_ remaining: Int) -> Effect {
      .update { [weak store] in
        $0.count += 1
        if remaining == 0 { return .log("done") }
        switch remaining % 4 {
        case 0: return .concatenate(.sleep(.nanoseconds(1)), step(remaining - 1))
        case 1: return .concatenate(.sleep(.zero), step(remaining - 1))
        case 2: return .task { step(remaining - 1) }
        default:
          return .task(id: "restarts itself") { [weak store] in
            if let store { room.change { $0.include(store) } }
            return step(remaining - 1)
          }
        }
      }
    }
    let steps = TestSize.many(40_000)
    store.receive(step(steps))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["done"])
    #expect(store.count == steps + 1)
    #expect(room.value.fibers <= 4)
    #expect(room.value.frames <= 2)
    #expect(store.remains == [])
  }

  /// The ways to put one effect into another.
  enum Wrapper: CaseIterable {
    case concatenate, behindOperations, merge, scope, label, recover, finally, timeout, retry, race, sequence
    case compensated, undone, debounce

    func wrap(_ effect: Effect, _ index: Int) -> Effect {
      switch self {
      case .concatenate: .concatenate(effect, .set { $0.count += 1 })
      case .behindOperations: .concatenate(.task { .none }, effect, .set { $0.count += 1 })
      case .merge: .merge(effect, .set { $0.count += 1 })
      case .scope: effect.id(index)
      case .label: effect.label("label")
      case .recover: effect.recover { _ in .none }
      case .finally: effect.finally(.set { $0.count += 1 })
      case .timeout: effect.timeout(.seconds(10))
      case .retry: effect.retry(.constant(.seconds(1)))
      case .race: .race(effect)
      case .sequence: .sequence(effect, .set { $0.count += 1 })
      case .compensated: .sequence(effect.compensate(with: .set { $0.count -= 1 }))
      case .undone: .sequence(Effect.set { $0.count += 1 }.compensate(with: .set { $0.count -= 1 }), effect)
      case .debounce: effect.debounce(for: .zero, id: index)
      }
    }
  }

  @Test(
    "Very deep trees are built, interpreted, cancelled and freed",
    arguments: [Wrapper.concatenate, .behindOperations, .merge])
  func law23_deep(wrapper: Wrapper) {
    let census = Census()
    deep(wrapper, Self.nodes, census)
    #expect(census.alive == 0)
  }

  @Test("Deep trees of every kind are interpreted and cancelled without a stack overflow", arguments: Wrapper.allCases)
  func law23_deepOfEveryKind(wrapper: Wrapper) {
    let census = Census()
    deep(wrapper, Self.nodes / 10, census)
    #expect(census.alive == 0)
  }

  /// Checks a tree of this depth with a sleep at its bottom, interpreted once to its end and once until it is
  /// cancelled.
  func deep(_ wrapper: Wrapper, _ depth: Int, _ census: Census) {
    let store = harness.store(seed: 1)
    var effect = Effect.concatenate(
      .sleep(.seconds(1)),
      .set { [canary = census.canary()] in
        _ = canary
        $0.other += 1
      })
    for index in 0..<depth { effect = wrapper.wrap(effect, index) }
    #expect(!effect.description.isEmpty)
    let finishing = store.receive(effect)
    harness.advance(by: .seconds(1))
    #expect(finishing.outcomeIfSettled?.word == "finished")
    #expect(store.other == 1)
    let cancelled = store.receive(effect)
    harness.settle()
    cancelled.cancel()
    harness.settle()
    #expect(cancelled.outcomeIfSettled?.word == "cancelled")
    #expect(store.other == 1)
    #expect(store.remains == [])
  }

  @Test("Nested sequences that fail are undone in linear time")
  func law23_failingSequences() {
    let store = harness.store()
    var effect = Effect.fail("x")
    for index in 0..<Self.nodes / 10 { effect = Wrapper.undone.wrap(effect, index) }
    let handle = store.receive(effect)
    harness.settle()
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.count == 0)
    #expect(store.remains == [])
  }

  @Test("Nested compensated effects find their sequence in linear time")
  func law23_nestedCompensations() {
    let store = harness.store()
    var effect = Effect.set { $0.other += 1 }
    for _ in 0..<Self.nodes / 10 { effect = effect.compensate(with: .set { $0.count += 1 }) }
    store.receive(.sequence(effect, .fail("x")))
    harness.settle()
    #expect(store.other == 1)
    #expect(store.count == Self.nodes / 10)
    #expect(store.remains == [])
  }

  @Test("Very wide trees are built, interpreted, cancelled and freed")
  func law23_wide() {
    let store = harness.store()
    let census = Census()
    do {
      let canary = census.canary()
      let wide = Effect.concatenate(
        effects: (0..<Self.nodes).map { _ in
          .set {
            _ = canary
            $0.count += 1
          }
        })
      store.receive(wide)
      #expect(store.count == Self.nodes)
      let sleeps = Effect.merge(effects: (0..<Self.nodes).map { _ in .sleep(.seconds(1)) })
      let finishing = store.receive(sleeps)
      harness.advance(by: .seconds(1))
      #expect(finishing.outcomeIfSettled?.word == "finished")
      let cancelled = store.receive(sleeps)
      cancelled.cancel()
      #expect(cancelled.outcomeIfSettled?.word == "cancelled")
    }
    harness.settle()
    #expect(census.alive == 0)
    #expect(store.remains == [])
    #expect(store.runtime.lock { $0.machine.fibers.count } == 0)
  }

  @Test("Nested retries need no stack")
  func law23_nestedRetries() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: (), mapError: { .log("\($0)") })
      var effect = Effect.fail("x")
      for _ in 0..<1_000 { effect = effect.retry(.constant(.zero).limitedTo(attempts: 1)) }
      await store.run(effect)
    }
  }

  @Test("Nested scopes of one identifier take linear time, with an instrument too")
  func law23_nestedScopesOfOneIdentifier() {
    for policy in [IdentifierPolicy.replace, .atMost(1)] {
      let store = harness.store(instrument: Ignoring())
      var effect = Effect.log("x")
      for _ in 0..<Self.nodes / 10 { effect = .merge(.sleep(.seconds(9)), effect).id("a", policy).label("a") }
      let handle = store.receive(effect)
      #expect(store.log == ["x"])
      handle.cancel()
      #expect(store.remains == [])
    }
  }

  @Test(
    "A wide merge of updates takes linear time", .timeLimit(.minutes(10)))
  func law23_wideUpdates() {
    let store = harness.store()
    let update = Effect.update {
      $0.count += 1
      return .task { .none }
    }
    let handle = store.receive(.merge(effects: repeatElement(update, count: Self.nodes * 8 / 10)))
    #expect(store.count == Self.nodes * 8 / 10)
    handle.cancel()
  }

  private struct Ignoring: StoreInstrument {
    func record(_ event: InstrumentEvent) {}
  }

  // MARK: Across stores, and inside closures

  /// The ways in which the lifted effect ends.
  enum End: CaseIterable, Sendable {
    case byIdentifier, byHandle, byDeactivation, byItself
  }

  @Test("Nested lifts of detached effects end without a stack overflow", arguments: End.allCases)
  func law23_liftsOverDetached(end: End) {
    let stores = [harness.store(), harness.store()]
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    var effect = Effect.stream(stream) { .log("\($0)") }
    for level in 0..<(Self.nodes / 10) { effect = .lift(effect, to: stores[level % 2]) }
    let handle = stores[0].receive(effect.id("a"))
    harness.settle()
    continuation.yield(1)
    harness.settle()
    #expect(handle.outcomeIfSettled?.isFinished == true)
    switch end {
    case .byIdentifier: stores[0].receive(.cancel("a"))
    case .byHandle: handle.cancel()
    case .byDeactivation: stores[0].deactivate()
    case .byItself: continuation.finish()
    }
    harness.settle()
    #expect(stores[0].log + stores[1].log == ["1"])
    for store in stores { #expect(store.remains == []) }
  }

  @Test("A chain of operations, each of which holds the next effect, is freed without a stack overflow")
  func law23_chainsOfClosures() {
    let census = Census()
    do {
      var effect = Effect.none
      for _ in 0..<Self.nodes {
        let (next, canary) = (effect, census.canary())
        effect = .task { withExtendedLifetime(canary) { next } }
      }
      #expect(census.alive == Self.nodes)
    }
    #expect(census.alive == 0)
  }
}
