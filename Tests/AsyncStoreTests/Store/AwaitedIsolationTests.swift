import Dispatch
import Testing

@testable import AsyncStore

@Suite("Calls that name the actor of their store")
struct AwaitedIsolationTests {
  /// The ways in which code on an actor calls `run`.
  enum Caller: CaseIterable {
    case actor, inheriting, closure

    /// Runs an effect on the main actor, and returns what its next job sees.
    @MainActor
    func logOfNextJob(_ effect: JournalStore.Effect, in store: JournalStore) async -> [String] {
      // The job has the actor as soon as this task suspends, and so before any turn that this task asks for.
      switch self {
      case .actor:
        let next = Task { store.log }
        await store.run(effect)
        return await next.value
      case .inheriting:
        let next = Task { store.log }
        await Self.inherit(effect, store)
        return await next.value
      case .closure:
        let run = {
          let next = Task { store.log }
          await store.run(effect)
          return await next.value
        }
        return await run()
      }
    }

    nonisolated(nonsending) private static func inherit(_ effect: JournalStore.Effect, _ store: JournalStore) async {
      await store.run(effect)
    }
  }

  @Test(
    "The prefix of an awaited effect is committed before its caller suspends", arguments: Caller.allCases,
    [false, true])
  @MainActor
  func law06_prefixBeforeSuspension(caller: Caller, prefersExecutor: Bool) async {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    let logOfNextJob = await Task(executorPreference: prefersExecutor ? ThreadExecutor() : nil) {
      await caller.logOfNextJob(.concatenate(.log("first"), .task { .none }, .log("last")), in: store)
    }.value
    #expect(logOfNextJob == ["first"])
    #expect(store.log == ["first", "last"])
  }

  /// A function of the main actor that was converted from a method.
  ///
  /// In Swift 6.3, such a function names the actor to the method without going to it.
  typealias MainFunction<Answer> = @MainActor @Sendable (JournalStore.Effect) async -> Answer

  /// Methods on the actor of their caller.
  struct Screen {
    let store: JournalStore

    nonisolated(nonsending) func run(_ effect: JournalStore.Effect) async -> EffectOutcome { await store.run(effect) }

    nonisolated(nonsending) func receive(_ effect: JournalStore.Effect) async { store.receive(effect) }

    nonisolated(nonsending) func count(_ effect: JournalStore.Effect) async -> Int? { store.update { $0.count } }
  }

  /// A store of the main actor, and one of no actor.
  private static func stores() -> (store: JournalStore, unbound: JournalStore) {
    (JournalStore(state: Journal(), env: (), isolation: MainActor.shared), JournalStore(state: Journal(), env: ()))
  }

  /// Notes whether the commit is on the main queue.
  private static func note(in places: Note<[Bool]>) -> JournalStore.Effect {
    .set { _ in places.change { $0.append(MainQueue.isCurrent) } }
  }

  @Test("A function that was converted to one of the main actor commits there, wherever it is called")
  @concurrent
  func law06_convertedFunctions() async {
    let (store, unbound) = Self.stores()
    let places = Note<[Bool]>([])
    let effect = Self.note(in: places)
    let run: MainFunction<EffectOutcome> = store.run
    let runInMethod: MainFunction<EffectOutcome> = Screen(store: store).run
    let lift: MainFunction<EffectOutcome> = unbound.run
    #expect(await run(effect).isFinished)
    #expect(await Task { await run(.concatenate(effect, .task { .none })) }.value.isFinished)
    #expect(await runInMethod(effect).isFinished)
    #expect(await lift(.lift(effect, to: store)).isFinished)
    #expect(places.value == [true, true, true, true])
  }

  @Test("So does one that was converted to a function of an actor with an executor of its own")
  @concurrent
  func law06_convertedToOtherExecutor() async {
    let store = JournalStore(state: Journal(), env: (), isolation: Bench.shared)
    let places = Note<[Bool]>([])
    let effect = JournalStore.Effect.set { _ in places.change { $0.append(Bench.queue.isCurrent) } }
    let run: @Bench @Sendable (JournalStore.Effect) async -> EffectOutcome = store.run
    #expect(await run(.concatenate(effect, .task { .none })).isFinished)
    #expect(places.value == [true])
  }

  @Test("A store of the main actor believes code that is on it by an assumption, in a block of the main queue")
  @concurrent
  func law06_assumedIsolation() async {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    let counts = await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        let counts = MainActor.assumeIsolated {
          store.receive(.set(\.count, to: 1))
          let first = store.count
          store.receive(.concatenate(.set(\.count, to: 2), .none))
          return [first, store.count, store.update { $0.count }]
        }
        continuation.resume(returning: counts)
      }
    }
    #expect(counts == [1, 2, 2])
  }

  @Test("A call on a bound store's actor returns after the effects that it has triggered in that store have committed")
  @MainActor
  func law06_callsOfUnboundStores() {
    let (view, shared) = Self.stores()
    view.bind(id: "count", to: shared, on: \.count) { .set(\.count, to: $0) }
    shared.receive(.set(\.count, to: 1))
    #expect(view.count == 1)
    shared.update { $0.count = 2 }
    #expect(view.count == 2)
  }

  #if os(Linux)
    /// Elsewhere, only checks that trap tell whether a thread is on an actor.
    @Test("A store believes no isolation that names its actor where the caller is not, and commits in a turn there")
    @concurrent
    func law06_receivedInConvertedFunctions() async {
      let (store, unbound) = Self.stores()
      let places = Note<[Bool]>([])
      let effect = Self.note(in: places)
      let receive: MainFunction<Void> = Screen(store: store).receive
      let lift: MainFunction<Void> = Screen(store: unbound).receive
      await receive(effect)
      await receive(.concatenate(effect, .none))
      await lift(.lift(effect, to: store))
      await lift(.concatenate(.lift(effect, to: store), .task { .none }))
      // Its turn comes after theirs.
      #expect(await store.run(.set(\.count, to: 1)).isFinished)
      #expect(places.value == [true, true, true, true])
    }

    @Test("An update traps in a function that names the store's actor without being there")
    func law06_updatedInConvertedFunction() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
        let count: MainFunction<Int?> = Screen(store: store).count
        await Task.detached { _ = await count(.none) }.value
      }
      let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(words.contains("called off the store's actor, MainActor"), "\(words)")
    }
  #endif
}

/// An actor whose executor only its author knows.
@globalActor
private actor Bench {
  static let shared = Bench()
  static let queue = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.queue.asUnownedSerialExecutor() }
}
