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

  // MARK: Histories

  @Test("A history lets go of its oldest step after the lock")
  func oldestStep() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let history = mint.store.undoHistory(of: \.token, limit: 1)
      for number in 1...5 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      precondition(mint.releases == 3 && history.undoCount == 1, "\(mint.releases) are released")
    }
  }

  @Test("A history lets go of the steps that it forgets after the lock")
  func forgottenSteps() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let history = mint.store.undoHistory(of: \.token)
      for number in 1...4 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      history.undo()
      history.undo()
      // What could be made again cannot any more.
      mint.store.receive(.set { [token = mint.token(5)] in $0.token = token })
      precondition(mint.releases == 2, "\(mint.releases) are released")
      history.beginGroup()
      mint.store.receive(.set { [token = mint.token(6)] in $0.token = token })
      history.clear()
      precondition(mint.releases == 5 && history.undoCount == 0, "\(mint.releases) are released")
      history.endGroup()
    }
  }

  @Test("A history lets go of the values within a group, and of equal ones, after the lock")
  func valuesWithoutStep() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let history = mint.store.undoHistory(of: \.token)
      history.group {
        for number in [1, 2, 3, 3, 1] { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      }
      precondition(mint.releases == 4 && history.undoCount == 1, "\(mint.releases) are released")
      // A group that changes nothing is no step.
      history.group {
        for number in [2, 1] { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      }
      precondition(mint.releases == 6 && history.undoCount == 1, "\(mint.releases) are released")
      let ofPart = mint.store.undoHistory(of: Part(\.tokens, key: 1))
      mint.store.receive(.set { [token = mint.token(1)] in $0.tokens[1] = token })
      let old = Mutex<Token?>(nil)
      mint.store.receive(.set { state in old.withLock { $0 = state.tokens.removeValue(forKey: 1) } })
      old.withLock { $0 = nil }
      // The part is there again, with another value.
      mint.store.receive(.set { [token = mint.token(2)] in $0.tokens[1] = token })
      precondition(mint.releases == 7 && ofPart.undoCount == 0, "\(mint.releases) are released")
    }
  }
}
