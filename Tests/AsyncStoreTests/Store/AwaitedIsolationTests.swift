import Testing

@testable import AsyncStore

@Suite("Calls that name the actor of their store")
struct AwaitedIsolationTests {
  /// The ways in which code on an actor calls `run`.
  enum Caller: CaseIterable {
    case actor, inheriting, closure

    /// Runs an effect on the main actor, to which jobs come in the order in which they are enqueued.
    @MainActor
    func run(_ effect: JournalStore.Effect, in store: JournalStore) async {
      switch self {
      case .actor: await store.run(effect)
      case .inheriting: await Self.inherit(effect, store)
      case .closure:
        let run = { await store.run(effect) }
        _ = await run()
      }
    }

    nonisolated(nonsending) private static func inherit(_ effect: JournalStore.Effect, _ store: JournalStore) async {
      await store.run(effect)
    }
  }

  @Test("The prefix of an awaited effect is committed before its caller suspends", arguments: Caller.allCases)
  @MainActor
  func law06_prefixBeforeSuspension(caller: Caller) async {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    // It has the actor as soon as the caller suspends, and so before any turn that the caller asks for.
    let next = Task { store.log }
    await caller.run(.concatenate(.log("first"), .task { .none }, .log("last")), in: store)
    #expect(await next.value == ["first"])
    #expect(store.log == ["first", "last"])
  }

  /// A `run` of a store that has become a function of the main actor by conversion.
  typealias MainRun = @MainActor @Sendable (JournalStore.Effect) async -> EffectOutcome

  nonisolated(nonsending) private static func run(
    _ effect: JournalStore.Effect, in store: JournalStore
  ) async -> EffectOutcome {
    await store.run(effect)
  }

  @Test("A function that was converted to one of the main actor commits there, wherever it is called")
  @concurrent
  func law06_convertedFunctions() async {
    let (store, unbound) = (
      JournalStore(state: Journal(), env: (), isolation: MainActor.shared), JournalStore(state: Journal(), env: ())
    )
    let places = Note<[Bool]>([])
    let effect = JournalStore.Effect.set { _ in places.change { $0.append(MainQueue.isCurrent) } }
    let inStore: @MainActor @Sendable (JournalStore.Effect, JournalStore) async -> EffectOutcome = Self.run
    let reference: MainRun = store.run
    let lifting: MainRun = unbound.run
    #expect(await reference(effect).isFinished)
    #expect(await Task { await reference(.concatenate(effect, .task { .none })) }.value.isFinished)
    #expect(await inStore(effect, store).isFinished)
    #expect(await lifting(.lift(effect, to: store)).isFinished)
    #expect(places.value == [true, true, true, true])
  }

  #if os(Linux)
    /// Elsewhere, only checks that trap tell whether a thread is on an actor.
    @Test("A store believes no isolation that names its actor where the caller is not, and commits in a turn there")
    @concurrent
    func law06_receivedInConvertedFunctions() async {
      let (store, unbound) = (
        JournalStore(state: Journal(), env: (), isolation: MainActor.shared), JournalStore(state: Journal(), env: ())
      )
      let places = Note<[Bool]>([])
      let effect = JournalStore.Effect.set { _ in places.change { $0.append(MainQueue.isCurrent) } }
      let receive: MainReceive = Self.receive
      await receive(effect, store)
      await receive(.concatenate(effect, .none), store)
      await receive(.lift(effect, to: store), unbound)
      await receive(.concatenate(.lift(effect, to: store), .task { .none }), unbound)
      await Task { @MainActor in await receive(effect, store) }.value
      #expect(await store.run(.none).isFinished)
      #expect(places.value == [true, true, true, true, true])
    }

    typealias MainReceive = @MainActor @Sendable (JournalStore.Effect, JournalStore) async -> Void

    nonisolated(nonsending) private static func receive(_ effect: JournalStore.Effect, in store: JournalStore) async {
      store.receive(effect)
    }

    @Test("An update traps in a function that names the store's actor without being there")
    func law06_updatedInConvertedFunction() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
        let update: @MainActor @Sendable (JournalStore) async -> Int? = Self.update
        await Task.detached { _ = await update(store) }.value
      }
      let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(words.contains("called off the store's actor, MainActor"), "\(words)")
    }

    nonisolated(nonsending) private static func update(_ store: JournalStore) async -> Int? {
      store.update {
        $0.count += 1
        return $0.count
      }
    }
  #endif
}
