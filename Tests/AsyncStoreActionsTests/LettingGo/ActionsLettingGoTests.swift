import AsyncStoreActions
import Observation
import Synchronization
import Testing

/// What is kept beside a store's state is never released under its lock, where the release could call the store.
@Suite("What is kept beside the state")
struct ActionsLettingGoTests {
  // MARK: Scopes

  @Test("A collection that scopes track may be let go of by a silent change")
  func trackedCollection() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let store = mint.store
      store.receive(.set { [tokens = [1: mint.token(1), 2: mint.token(2)]] in $0.tokens = tokens })
      let scopes = (1...2).map { store.scope(\.tokens, key: $0) { (_: Int, action: Vault.Action) in action } }
      withObservationTracking {
        _ = scopes[0].number
      } onChange: {
      }
      // The mutation hands the old elements out, so that it releases nothing itself.
      let old = Mutex<[Int: Token]>([:])
      store.receive(
        .silently { [new = [1: mint.token(1), 2: mint.token(2)]] state in
          old.withLock { $0 = state.tokens }
          state.tokens = new
        })
      old.withLock { $0 = [:] }
      withObservationTracking {
        _ = scopes[1].number
      } onChange: {
      }
      store.send(.count)
      precondition(mint.releases == 2, "\(mint.releases) are released")
    }
  }
}
