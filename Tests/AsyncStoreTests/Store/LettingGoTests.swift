import Testing

@testable import AsyncStore

/// Nothing is let go of under a store's lock, where it could come back to the store.
@Suite("What a store lets go of")
struct LettingGoTests {
  typealias Effect = JournalStore.Effect

  struct Parent: Sendable {
    var child: JournalStore?
    var count = 0
  }

  @Test("A mutation may let go of the last reference to a store that is bound to its own")
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

  final class Guardian: Sendable {
    let store: JournalStore
    init(_ store: JournalStore) { self.store = store }
    deinit { store.receive(.log("released")) }
  }

  @Test("What an effect captured may call the store when it is let go of")
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
