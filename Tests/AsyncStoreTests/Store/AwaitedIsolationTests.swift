import Testing

@testable import AsyncStore

@Suite("An effect that is awaited on the actor of its store")
struct AwaitedIsolationTests {
  /// The ways in which code on an actor calls `run`.
  enum Caller: CaseIterable {
    case actor, inheriting, closure

    /// Runs an effect on the actor.
    func run(_ effect: JournalStore.Effect, in store: JournalStore, on desk: isolated Desk) async {
      switch self {
      case .actor: await store.run(effect)
      case .inheriting: await Self.inherit(effect, store)
      case .closure:
        let run = {
          desk.assertIsolated()
          await store.run(effect)
        }
        await run()
      }
    }

    nonisolated(nonsending) private static func inherit(_ effect: JournalStore.Effect, _ store: JournalStore) async {
      await store.run(effect)
    }
  }

  private func log(of caller: Caller, on desk: isolated Desk) async -> [String] {
    let store = JournalStore(state: Journal(), env: (), isolation: desk)
    // It has the actor as soon as the caller suspends, and so before any turn that the caller asks for.
    let next = Task {
      desk.assertIsolated()
      store.receive(.log("next"))
    }
    await caller.run(.concatenate(.log("first"), .task { .none }, .log("last")), in: store, on: desk)
    await next.value
    return store.log
  }

  @Test("The prefix is committed before the caller suspends", arguments: Caller.allCases)
  func law06_prefixBeforeSuspension(caller: Caller) async {
    let log = await log(of: caller, on: Desk())
    #expect(log.first == "first" && Set(log) == ["first", "next", "last"])
  }
}
