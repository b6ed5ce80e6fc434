import Testing

@testable import AsyncStore

@Suite("A listener to a store's commits")
struct CommitListenerTests {
  let harness = Harness()

  @Test("looks at silent changes too, and at none from the one on in which it leaves")
  func silentChanges() {
    let store = harness.store()
    let seen = Note<[Int]>([])
    let listening = store.listen(SilenceListener { state in seen.change { $0.append(state.count) } })
    store.receive(.setSilently({ $0.count = 1 }, #fileID, #line))
    store.receive(
      .setSilently(
        {
          $0.count = 2
          listening.end()
        }, #fileID, #line))
    store.receive(.setSilently({ $0.count = 3 }, #fileID, #line))
    #expect(seen.value == [1])
    store.receive(.set(\.count, to: 4))
    #expect(seen.value == [1])
  }
}

/// Looks at silent changes, and has nothing to deliver.
private final class SilenceListener: CommitListener {
  private let look: @Sendable (Journal) -> Void

  init(_ look: @escaping @Sendable (Journal) -> Void) { self.look = look }

  func committed(_ state: Journal) -> Bool {
    look(state)
    return false
  }

  func committedSilently(_ state: Journal) { look(state) }

  func deliver() {}
}
