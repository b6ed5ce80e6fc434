import Synchronization
import Testing

@testable import AsyncStore

/// A store never releases a closure, an effect or an error under its lock, where the release could call the store.
@Suite("The release of what a store holds")
struct ReleaseTests {
  typealias Effect = JournalStore.Effect

  struct Parent: Sendable {
    var child: JournalStore?
    var count = 0
  }

  @Test("A mutation may release the last reference to a store that is bound to its own")
  func stateHoldsBoundStore() async {
    await #expect(processExitsWith: .success) {
      let parent = AsyncStore<Parent, Void>(state: Parent(), env: ())
      do {
        let child = JournalStore(state: Journal(), env: ())
        child.bind(id: "b", to: parent, on: \.count) { .set(\.count, to: $0) }
        parent.receive(.set(\.child, to: child))
      }
      parent.receive(.set(\.child, to: nil))
    }
  }

  final class Opener: Sendable {
    let gate: Gate
    init(_ gate: Gate) { self.gate = gate }
    deinit { gate.open() }
  }

  @Test("A mutation of an effect in flight may release the last reference to its own store")
  func mutationReleasesItsStore() async {
    await #expect(processExitsWith: .success) {
      let (owner, gate, isReleased) = (Note<AsyncStore<Opener, Void>?>(nil), Gate(), Gate())
      owner.value = AsyncStore(state: Opener(isReleased), env: ())
      owner.value?.receive(
        .task {
          await gate.wait()
          return .set { _ in owner.value = nil }
        })
      gate.open()
      await isReleased.wait()
    }
  }

  @Test("An effect may hold the last reference to a store that is bound to its own")
  func effectHoldsBoundStore() async {
    await #expect(processExitsWith: .success) {
      let parent = JournalStore(state: Journal(), env: ())
      var child: JournalStore? = JournalStore(state: Journal(), env: ())
      child!.bind(id: "b", to: parent, on: \.count) { .set(\.count, to: $0) }
      let handle = parent.receive(.concatenate(.sleep(.seconds(100)), .lift(.log("x"), to: child!)))
      child = nil
      handle.cancel()
    }
  }

  @Test("A mutation may release the last reference to a store that has lifted into its own")
  func stateHoldsStoreThatLifts() async {
    await #expect(processExitsWith: .success) {
      let parent = AsyncStore<Parent, Void>(state: Parent(), env: ())
      do {
        let child = JournalStore(state: Journal(), env: ())
        child.receive(.lift(.sleep(.seconds(100)).id("lifted"), to: parent))
        parent.receive(.set(\.child, to: child))
      }
      precondition(!parent.inFlight.isEmpty, "the child has lifted nothing")
      parent.receive(.set(\.child, to: nil))
      precondition(parent.inFlight.isEmpty, "what the child had lifted goes on")
    }
  }

  final class Guardian: Sendable {
    let store: JournalStore
    init(_ store: JournalStore) { self.store = store }
    deinit { store.receive(.log("released")) }
  }

  @Test("Values that an effect captured may call the store when they are released")
  func captureCallsStore() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      var guardian: Guardian? = Guardian(store)
      let handle = store.receive(
        .concatenate(.sleep(.seconds(100)), .task { [guardian] in .log("\(guardian == nil)") }))
      guardian = nil
      handle.cancel()
    }
  }

  @Test("Values captured anywhere in a waiting effect are released after the lock")
  func captureAnywhereCallsStore() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let pause = Effect.sleep(.seconds(100))
      let shapes: [@Sendable (Effect) -> Effect] = [
        { .concatenate(.concatenate(pause, .log("x")), $0) },
        { .concatenate(pause.label("inner"), .log("x"), $0).label("outer") },
        { .merge(effects: [pause, $0], limit: 1) },
        { .race(.concatenate(pause, $0), pause) },
        { pause.timeout(.seconds(200), else: $0) },
        { .concatenate(pause, $0).retry(.constant(.zero)) },
        { effect in .concatenate(pause, .fail("x")).recover { _ in effect } },
        { .concatenate(pause, $0).finally(.log("x")) },
        { .merge(pause.id("q", .queue()), $0.id("q", .queue())) },
        { .concatenate(.log("x").throttle(for: .seconds(100), id: "t"), $0.throttle(for: .seconds(100), id: "t")) },
        { effect in .timer(.seconds(1), id: "timer") { _ in effect } },
      ]
      let store = JournalStore(state: Journal(), env: ())
      for (number, shape) in shapes.enumerated() {
        var guardian: Guardian? = Guardian(store)
        let handle = store.receive(shape(.task { [guardian] in .log("\(guardian == nil)") }))
        guardian = nil
        handle.cancel()
        store.receive(.cancelAll())
        let isReleased = store.log.count { $0 == "released" } == number + 1
        precondition(isReleased, "shape \(number) is kept: \(store.log)")
      }
      // Only the recovery holds the handler while the detached rest of its body lives.
      store.receive(
        .concatenate(
          .read { [weak store] _ in
            let guardian = store.map(Guardian.init)
            return .timer(.seconds(1), id: "t") { _ in .none }.recover { [guardian] _ in .log("\(guardian == nil)") }
          }, pause, pause))
      store.receive(.cancel("t"))
      precondition(store.log.count { $0 == "released" } == shapes.count + 1, "a recovery is kept: \(store.log)")
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  final class GuardedName: Hashable, Sendable {
    let guardian: Guardian
    init(_ guardian: Guardian) { self.guardian = guardian }
    static func == (left: GuardedName, right: GuardedName) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test("An identifier may call the store when it is released, wherever it was in use")
  func identifierCallsStore() async {
    await #expect(processExitsWith: .success) {
      let pause = Effect.sleep(.milliseconds(2))
      let shapes: [@Sendable (GuardedName) -> Effect] = [
        { pause.id($0) }, { .task(id: $0) { .none } }, { .concatenate(pause.id($0), pause) },
        { pause.throttle(for: .milliseconds(3), id: $0) }, { .merge(pause.id($0, .queue()), pause.id($0, .queue())) },
        { .concatenate(.merge(pause.id($0), .join($0)), pause) }, { .concatenate(.cancel($0), pause) },
        { .timer(.milliseconds(1), id: $0) { _ in .none } },
      ]
      let store = JournalStore(state: Journal(), env: ())
      for (number, shape) in shapes.enumerated() {
        for isCancelled in [false, true] {
          let handle = store.receive(shape(GuardedName(Guardian(store))))
          if isCancelled || number == 7 { handle.cancel() } else { _ = await handle.outcome }
        }
      }
      try await store.wait(for: \.log.count, toEqual: shapes.count * 2, timeout: .seconds(60))
    }
  }

  @Test("The values of an update may call the store when they are released, of one that throws too")
  func updateCallsStore() async {
    await #expect(processExitsWith: .success) {
      struct Held: Sendable { var caller: Caller? }
      let (store, releases) = (AsyncStore<Held, Void>(state: Held(), env: ()), Note(0))
      let caller = { @Sendable in
        Caller { [weak store] in if store?.isActive == true { releases.change { $0 += 1 } } }
      }
      for number in 1...3 {
        var given: Caller? = caller()
        try? store.update { (state) throws -> Void in
          state.caller = given
          given = nil
          if number == 2 { throw Failure("not taken") }
        }
      }
      precondition(releases.value == 2, "\(releases.value) are released")
    }
  }

  @Test("A cleanup that a deactivation has made impossible may call the store when it is released")
  func impossibleCleanupCallsStore() async {
    await #expect(processExitsWith: .success) {
      let pause = Effect.sleep(.seconds(100))
      let shapes: [@Sendable (Effect) -> Effect] = [
        { pause.finally($0) }, { .sequence(.log("x").compensate(with: $0), pause) },
        { pause.finally(.log("x")).finally($0) },
        { .merge(pause.finally($0), pause).finally($0) },
      ]
      for (number, shape) in shapes.enumerated() {
        let store = JournalStore(state: Journal(), env: ())
        let count = Atomic(0)
        func receive() {
          let caller = Caller { [weak store] in
            store?.receive(.log("never"))
            count.add(store?.inFlight.count == 0 ? 1 : 0, ordering: .relaxed)
          }
          store.receive(shape(.set { $0.log.append("\(caller)") }))
        }
        receive()
        store.deactivate()
        precondition(count.load(ordering: .relaxed) == 1, "shape \(number)")
      }
    }
  }

  @Test("A lift that ends may have the last reference to the store that the lift around it comes from")
  func lastReferenceOfALift() async {
    await #expect(processExitsWith: .success) {
      let harness = Harness()
      let outer = harness.store()
      let (numbers, source) = AsyncStream.makeStream(of: Int.self)
      func lift() {
        let inner = harness.store()
        inner.receive(
          .lift(.concatenate(.lift(.stream(numbers) { _ in .none }, to: inner), .sleep(.seconds(60))), to: outer))
      }
      lift()
      harness.settle()
      source.finish()
      harness.settle()
      precondition(outer.inFlight.isEmpty)
    }
  }

  @Test("A lift may take the place of one that has the last reference to its store, the end of which cancels it")
  func lastReferenceOfTheLiftBefore() async {
    await #expect(processExitsWith: .success) {
      let harness = Harness()
      let (store, other) = (harness.store(), harness.store())
      store.receive(
        .concatenate(
          .update { _ in .lift(.log("1"), to: other) },
          .update { _ in
            let holder = Holder(caller: Caller { store.receive(.cancel("x")) })
            return .lift(.set(\.released, to: 1), to: harness.store(of: holder, env: ()))
          },
          .update { _ in .lift(.concatenate(.sleep(.seconds(60)), .log("never")), to: other) }
        ).id("x"))
      harness.advance(by: .seconds(60))
      precondition(other.log == ["1"] && store.inFlight.isEmpty && other.inFlight.isEmpty)
    }
  }

  struct GuardedFailure: Error {
    let guardian: Guardian
  }

  /// The ways to fail with an error that nothing handles.
  enum Failing: CaseIterable {
    case inAMerge, twice, underACleanup, inAWonRace, inALostRace, afterRetries, inASequence

    func effect(_ store: JournalStore) -> Effect {
      let fail = Effect.task { throw GuardedFailure(guardian: Guardian(store)) }
      let pause = Effect.sleep(.seconds(100))
      return switch self {
      case .inAMerge: .merge(fail, pause)
      case .twice: .merge(fail, .concatenate(fail, fail), pause)
      case .underACleanup: .merge(fail.finally(.log("clean")), pause)
      case .inAWonRace: .merge(.race(fail, .task { .sleep(.milliseconds(5)) }, goal: .firstToSucceed), pause)
      case .inALostRace: .merge(fail, .race(fail, fail, goal: .firstToSucceed), pause)
      case .afterRetries: .merge(fail, fail.retry(.constant(.zero).limitedTo(attempts: 3)), pause)
      case .inASequence: .merge(fail, .sequence(.log("x").compensate(with: .log("undone")), fail), pause)
      }
    }
  }

  @Test("An error that nobody handles may call the store when it is released", arguments: [true, false])
  func unhandledErrorCallsStore(isDeactivated: Bool) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isDeactivated] in
      for way in Failing.allCases {
        let store = JournalStore(state: Journal(), env: ())
        let handle = store.receive(way.effect(store))
        // Until all that can fail has failed.
        try await Task.sleep(for: .milliseconds(50))
        if isDeactivated { store.deactivate() } else { handle.cancel() }
        _ = await handle.outcome
      }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  struct Holder: Sendable {
    var caller: Caller?
    var released = 0
  }

  final class Caller: Sendable, Equatable {
    private let whenReleased: @Sendable () -> Void
    init(_ whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }
    deinit { whenReleased() }
    static func == (left: Caller, right: Caller) -> Bool { left === right }
  }

  @Test("A value that a binding was notified of may call the store when it is released", .timeLimit(.minutes(10)))
  func boundValueCallsStore() async {
    await #expect(processExitsWith: .success) {
      let (store, down) = (AsyncStore(state: Holder(), env: ()), JournalStore(state: Journal(), env: ()))
      down.bind(id: "b", to: store, on: \.caller) { .log($0 == nil ? "none" : "one") }
      for _ in 0..<3 {
        store.receive(
          .set {
            $0.caller = Caller { [weak store] in
              store?.receive(.set { $0.released += 1 })
            }
          })
      }
      store.receive(.set(\.caller, to: nil))
      precondition(store.released == 3, "\(store.released) are released")
      precondition(down.log == ["none", "one", "one", "one", "none"], "told of \(down.log)")
    }
  }

  @Test("A binding gives up a value once it has been notified of the next one")
  func valuesOfABinding() {
    final class Page: Equatable, Sendable {
      static func == (left: Page, right: Page) -> Bool { left === right }
    }
    let store = AsyncStore(state: Page(), env: ())
    store.bind(id: "page", to: \.self) { _ in .none }
    weak let first = store.state
    store.receive(.set { $0 = Page() })
    #expect(first == nil)
  }

  @Test("A queue keeps nothing of an element that was taken from it, so that nothing is released under the lock later")
  func takenElements() {
    let census = Census()
    var effects = Queue<Census.Canary>()
    for _ in 0..<4 { effects.append(census.canary()) }
    _ = effects.popFirst()
    #expect(census.alive == 3)
    var deliveries = DeliveryQueue()
    weak var observer: CommitObserver?
    do {
      let new = CommitObserver()
      observer = new
      for _ in 0..<4 { deliveries.append(.end(CommitObserver())) }
      deliveries.append(.end(new))
    }
    var batch = DeliveryBatch()
    _ = deliveries.advance(&batch, isElsewhere: false)
    for _ in 0..<5 {
      #expect(observer != nil)
      batch.popReady()?.release()
    }
    #expect(observer == nil)
  }

  @Test("Undelivered values are released with the queue, and observers with their list")
  func droppedQueues() {
    weak var observer: CommitObserver?
    do {
      let new = CommitObserver()
      observer = new
      var deliveries = DeliveryQueue()
      deliveries.append(.end(new))
      for hop in 0..<4 { deliveries.append(.passUnretained(new), hop: DeliveryHop(count: hop)) }
      var batch = DeliveryBatch()
      // Only the first is ready where observers can't be told.
      _ = deliveries.advance(&batch, isElsewhere: true)
      batch.popReady()?.release()
      _ = deliveries.end(&batch)
      var list = ObserverList()
      list.append(new)
      list.append(CommitObserver())
    }
    #expect(observer == nil)
  }

  /// The state of a store whose property has an argument that calls the store when it is released.
  struct Shelf: Sendable {
    var count = 0
    subscript(label: Label) -> Int { count }
  }

  /// All are equal, and each is an object of its own.
  final class Label: Hashable, Sendable {
    private let caller: Caller
    init(_ whenReleased: @escaping @Sendable () -> Void) { caller = Caller(whenReleased) }
    static func == (left: Label, right: Label) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  @Test("The list of observers holds no argument of a tracked property but those of the observers in it")
  func trackedArguments() {
    let store = AsyncStore(state: Shelf(), env: ())
    let tracking = Tracking()
    func property(_ label: Label) -> TrackedProperty {
      let keyPath = \Shelf.[label]
      return TrackedValue(keyPath, areEqual: nil, isTotal: false, in: nil, tracking, store.runtime)
    }
    let released = Mutex<[String]>([])
    func label(_ name: String) -> Label { Label { released.withLock { $0.append(name) } } }
    var deliveries = DeliveryQueue()
    var list = ObserverList()
    var first: TrackedProperty? = property(label("first"))
    var second: TrackedProperty? = property(label("second"))
    list.append(first!)
    list.append(second!)
    let isLast = list.tracked(\Shelf.[label("asked")]) === second
    #expect(isLast)
    list.remove(first!, &deliveries)
    first = nil
    #expect(released.withLock { $0 } == ["asked", "first"])
    list.remove(second!, &deliveries)
    second = nil
    #expect(released.withLock { $0 } == ["asked", "first", "second"])
  }

  @Test("An argument of a tracked property may call the store when it is released")
  func trackedArgumentCallsStore() async {
    await #expect(processExitsWith: .success) {
      let store = AsyncStore(state: Shelf(), env: ())
      let count = Atomic(0)
      /// Reads the property as two threads do that track it at once.
      func observe() -> TrackedProperty {
        let label = Label { [weak store] in count.add(store?.isActive == true ? 1 : 0, ordering: .relaxed) }
        let keyPath = \Shelf.[label]
        let property = TrackedValue(keyPath, areEqual: nil, isTotal: false, in: nil, Tracking(), store.runtime)
        store.runtime.lock { $0.append(property) }
        return property
      }
      do {
        let first = observe()
        let second = observe()
        store.runtime.remove(first)
        withExtendedLifetime(second) {}
      }
      store.receive(.set(\.count, to: 1))
      precondition(count.load(ordering: .relaxed) == 2, "\(count.load(ordering: .relaxed)) are released")
    }
  }

  /// Holds in an optimised build only by what `EffectNode` does in its initializer.
  @Test("A store keeps an effect that was read from an array at an index")
  func effectsInArrayLiterals() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      for index in 0..<300 {
        let effects: [Effect] = [.task { .set { $0.count += 1 } }, .task { .set { $0.other += 1 } }]
        store.receive(effects[index % 2].id("a"))
        store.receive(effects[index % 2].timeout(.seconds(60), else: .none))
        for effect in effects { store.receive(effect.id("b")) }
      }
      await store.run(.join("a"))
      await store.run(.join("b"))
    }
  }

  enum Box { @TaskLocal static var value: Census.Canary? }

  @Test("A handle holds no task-local values once its detached parts have ended")
  func parked() {
    let harness = Harness()
    let store = harness.store()
    let census = Census()
    let handle = Box.$value.withValue(census.canary()) { store.receive(.timer(.seconds(1), id: "t") { _ in .none }) }
    store.receive(.cancel("t"))
    harness.settle()
    #expect(store.remains == [])
    #expect(census.alive == 0)
    withExtendedLifetime(handle) {}
  }
}
