import AsyncStoreActions
import Observation
import Synchronization
import Testing

/// Values kept beside a store's state are never released under its lock, where the release could call the store.
@Suite("The release of values beside the state")
struct ActionsReleaseTests {
  // MARK: Scopes

  @Test("A collection that scopes track is released outside of the store's lock after a silent change")
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

  @Test("A history releases its oldest step outside of the store's lock")
  func oldestStep() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let history = mint.store.undoHistory(of: \.token, limit: 1)
      for number in 1...5 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      precondition(mint.releases == 3 && history.undoCount == 1, "\(mint.releases) are released")
    }
  }

  @Test("A history releases forgotten steps outside of the store's lock")
  func forgottenSteps() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let history = mint.store.undoHistory(of: \.token)
      for number in 1...4 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      history.undo()
      history.undo()
      // A new change gives up the steps that could have been made again.
      mint.store.receive(.set { [token = mint.token(5)] in $0.token = token })
      precondition(mint.releases == 2, "\(mint.releases) are released")
      history.beginGroup()
      mint.store.receive(.set { [token = mint.token(6)] in $0.token = token })
      history.clear()
      precondition(mint.releases == 5 && history.undoCount == 0, "\(mint.releases) are released")
      history.endGroup()
    }
  }

  @Test("A history releases values within a group, and equal values, outside of the store's lock")
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

  // MARK: Logs

  @Test("An action log releases its oldest actions outside of the store's lock")
  func oldestActions() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      mint.store.startRecording(capacity: 1, checkpointEvery: 1)
      for number in 1...5_000 { mint.store.send(.note(mint.token(number))) }
      precondition(mint.releases > 1_024, "\(mint.releases) are released")
      // A new log takes the place of the old one.
      mint.store.startRecording()
      precondition(mint.releases == 5_000, "\(mint.releases) are released")
    }
  }

  @Test("An action log releases the effects of replayed actions outside of the store's lock")
  func repeatedActions() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      mint.store.install(Middleware { _, action in if case .count = action { .begin(mint.token()) } else { action } })
      mint.store.startRecording(capacity: 1)
      for _ in 1...3_000 { mint.store.send(.count) }
      precondition(mint.releases > 1_024, "\(mint.releases) are released")
    }
  }

  @Test("An action log releases its oldest states outside of the store's lock")
  func oldestStates() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      mint.store.startRecording(capacity: 2, checkpointEvery: 1)
      for number in 1...6 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      // The states before and after each change that is kept, and dropped changes that wait to be removed.
      precondition(mint.store.actionLog?.count == 2)
      for number in 1...5_000 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      precondition(mint.releases > 1_024, "\(mint.releases) are released")
      mint.store.startRecording()
      precondition(mint.releases == 5_005, "\(mint.releases) are released")
    }
  }

  @Test("An action log releases the changes that a new branch drops outside of the store's lock")
  func changesAfterAJourney() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      mint.store.startRecording(checkpointEvery: 1)
      for number in 1...3 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
      for number in 4...6 { mint.store.send(.keep(mint.token(number))) }
      try mint.store.travel(to: 1)
      mint.store.receive(.set { [token = mint.token(7)] in $0.token = token })
      precondition(mint.releases == 5, "\(mint.releases) are released")
      let log = mint.store.actionLog!
      mint.store.send(.keep(mint.token(8)))
      try mint.store.startRecording(continuing: log)
      precondition(mint.releases == 6, "\(mint.releases) are released")
    }
  }

  // MARK: Middleware and readers

  @Test("Actions that middleware makes are released outside of the store's lock")
  func actionsOfMiddleware() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let installation = mint.store.install(
        Middleware { _, _ in .note(mint.token(1)) }, Middleware { _, _ in .note(mint.token(2)) })
      mint.store.send(.count)
      precondition(mint.releases == 2, "\(mint.releases) are released")
      mint.store.install(Middleware { _, _ in nil })
      mint.store.send(.count)
      precondition(mint.releases == 4, "\(mint.releases) are released")
      installation.remove()
    }
  }

  @Test("Removed middleware is released outside of the store's lock")
  func removedMiddleware() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      let installation = mint.store.install(
        [mint.token()].map { token in
          .observing { _ in
            withExtendedLifetime(token) {}
          }
        })
      mint.store.send(.count)
      installation.remove()
      precondition(mint.releases == 1, "\(mint.releases) are released")
    }
  }

  @Test("States that wait for readers of updates are released outside of the store's lock")
  func statesForReaders() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      do {
        let updates = mint.store.updates
        for number in 1...3 { mint.store.receive(.set { [token = mint.token(number)] in $0.token = token }) }
        mint.store.receive(.silently { [token = mint.token(4)] in $0.token = token })
        precondition(mint.releases == 3, "\(mint.releases) are released")
        withExtendedLifetime(updates) {}
      }
      // Nobody reads any more.
      mint.store.receive(.set { [token = mint.token(5)] in $0.token = token })
      precondition(mint.releases == 4, "\(mint.releases) are released")
    }
  }

  @Test("The values of a part are released outside of the store's lock")
  func valuesOfAPart() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      var values = mint.store.values(of: Part(\.token)).makeAsyncIterator()
      for number in 1...3 {
        mint.store.receive(.set { [token = mint.token(number)] in $0.token = token })
        _ = await values.next()
      }
      _ = await values.next()
      mint.store.receive(.set { $0.token = nil })
      _ = await values.next()
      precondition(mint.releases == 3, "\(mint.releases) are released")
    }
  }

  // MARK: Transactions

  @Test("Values of a transaction that does not commit are released outside of the store's lock")
  func failedTransaction() async {
    await #expect(processExitsWith: .success) {
      struct Failure: Error {}
      let mint = Mint()
      mint.store.startRecording()
      mint.store.begin(
        StateTransaction("throws") {
          $0.token = mint.token()
          throw Failure()
        })
      precondition(mint.releases == 1, "\(mint.releases) are released")
      let reads = Atomic(0)
      let status = await mint.store.begin(
        StateTransaction("is in conflict") { draft in
          try draft.change { $0.token = mint.token(1) }
          draft.send(.keep(mint.token(2)))
          try draft.change { $0.token = mint.token(3) }
          if reads.add(1, ordering: .relaxed).newValue == 1 { mint.store.send(.count) }
          _ = draft.read { $0.count }
        }
      ).outcome
      precondition("\(status)" == "completed", "\(status)")
      mint.store.startRecording()
    }
  }

  @Test("Values of a change whose error the transaction catches are released outside of the store's lock")
  func caughtChange() async {
    await #expect(processExitsWith: .success) {
      struct Failure: Error { let token: Token }
      let mint = Mint()
      let status = await mint.store.begin(
        StateTransaction("catches") { draft in
          try? draft.change {
            $0.token = mint.token(1)
            throw Failure(token: mint.token(2))
          }
          _ = draft.read { _ in mint.token(3) }
          try draft.change { $0.count += 1 }
        }
      ).outcome
      precondition("\(status)" == "completed", "\(status)")
      // Each was made in the draft, and once more in the commit.
      await mint.waitForReleases(6)
      precondition(mint.releases == 6, "\(mint.releases) are released")
    }
  }

  @Test("Values that a transaction replaces are released outside of the store's lock")
  func committedTransaction() async {
    await #expect(processExitsWith: .success) {
      let mint = Mint()
      for number in 1...3 {
        mint.store.begin(StateTransaction("at once") { [token = mint.token(number)] in $0.token = token })
      }
      precondition(mint.releases == 2, "\(mint.releases) are released")
      for number in 4...6 {
        let status = await mint.store.begin(
          StateTransaction("later") { draft in try draft.change { [token = mint.token(number)] in $0.token = token } }
        ).outcome
        precondition("\(status)" == "completed", "\(status)")
      }
    }
  }
}
