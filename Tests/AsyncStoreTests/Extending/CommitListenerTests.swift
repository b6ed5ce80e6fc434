import Testing

@testable import AsyncStore

@Suite("A listener to a store's commits")
struct CommitListenerTests {
  let harness = Harness()

  @Test("A commit listener sees silent changes too, until the change in which it leaves")
  func silentChanges() {
    let store = harness.store()
    let seen = Note<[Int]>([])
    let subscription = store.listen(SilenceListener { state in seen.change { $0.append(state.count) } })
    store.receive(.setSilently({ $0.count = 1 }, #fileID, #line))
    store.receive(
      .setSilently(
        {
          $0.count = 2
          subscription.end()
        }, #fileID, #line))
    store.receive(.setSilently({ $0.count = 3 }, #fileID, #line))
    #expect(seen.value == [1])
    store.receive(.set(\.count, to: 4))
    #expect(seen.value == [1])
  }

  @Test("A commit listener that ends is notified of nothing that still waits")
  func endBeforeDelivery() {
    let store = harness.store()
    let (told, subscription) = (Note(0), Note<AsyncStore<Journal, Void>.Subscription?>(nil))
    let first = store.listen(CountListener { subscription.value?.end() })
    let second = store.listen(CountListener { told.change { $0 += 1 } })
    subscription.change { $0 = second }
    store.receive(.set(\.count, to: 1))
    #expect(told.value == 0)
    first.end()
  }

  @Test("A commit listener may ask for silent changes, and ends before `deactivate` returns, even in a delivery")
  func silentDelivery() {
    let store = harness.store()
    let calls = Note<[String]>([])
    let subscription = store.listen(
      ToldListener { call in
        calls.change { $0.append(call) }
        guard call == "deliver" else { return }
        store.deactivate()
        calls.change { $0.append("deactivated") }
      })
    #expect(subscription.hasBegun)
    store.receive(.setSilently({ $0.count = 1 }, #fileID, #line))
    #expect(calls.value == ["deliver", "endAtOnce", "deactivated", "end"])
    #expect(!store.listen(ToldListener { _ in }).hasBegun)
  }
}

/// A listener that looks at silent changes, and delivers nothing.
private final class SilenceListener: CommitListener {
  private let look: @Sendable (Journal) -> Void

  init(_ look: @escaping @Sendable (Journal) -> Void) { self.look = look }

  func committed(_ state: Journal) -> Bool {
    look(state)
    return false
  }

  func committedSilently(_ state: Journal) -> Bool { committed(state) }

  func deliver() {}
}

/// A listener that asks for notifications of silent changes, and notes the calls.
private final class ToldListener: CommitListener {
  private let note: @Sendable (String) -> Void

  init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }

  func committed(_ state: Journal) -> Bool { false }
  func committedSilently(_ state: Journal) -> Bool { true }
  func deliver() { note("deliver") }
  func endAtOnce() { note("endAtOnce") }
  func end() { note("end") }
}

/// A listener that is told of each commit.
private final class CountListener: CommitListener {
  private let tell: @Sendable () -> Void

  init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }

  func committed(_ state: Journal) -> Bool { true }
  func deliver() { tell() }
}
