import AsyncStorePersistence
import Synchronization
import Testing

/// Values kept to be saved are never released under a lock that their release could wait for.
@Suite("The release of values to be saved")
struct PersistenceReleaseTests {
  /// A value that calls a store when it is released, unless it was decoded.
  final class Token: Codable, Sendable {
    let number: Int
    private let whenReleased: (@Sendable () -> Void)?

    private enum Key: CodingKey { case number }

    init(_ number: Int, whenReleased: @escaping @Sendable () -> Void) {
      self.number = number
      self.whenReleased = whenReleased
    }

    init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .number)
      whenReleased = nil
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(number, forKey: .number)
    }

    deinit { whenReleased?() }
  }

  struct Drawer: Codable, Sendable {
    var token: Token?
    var count = 0
  }

  /// Makes the values, and counts those that have been released, each of which could commit and end the store.
  final class Mint: Sendable {
    let store = AsyncStore(state: Drawer(), env: ())
    private let number = Atomic(0)

    var releases: Int { number.load(ordering: .relaxed) }

    func token(_ number: Int) -> Token {
      Token(number) { [weak self] in
        guard let self else { return }
        self.number.add(1, ordering: .relaxed)
        store.receive(.set { $0.count += 1 })
        store.deactivate()
        store.activate()
      }
    }
  }

  @Test("The last state before a deactivation may call the store when it is released")
  func lastState() async {
    await #expect(processExitsWith: .success) {
      let storage = MemoryStorage()
      let mint = Mint()
      try mint.store.persist(\.self, in: storage, saving: .onDemand)
      for number in 1...3 {
        mint.store.receive(.set { [token = mint.token(number)] in $0.token = token })
        mint.store.deactivate()
        mint.store.activate()
        // Only what is kept to be saved has the old value then, and with this commit it is not needed any more.
        mint.store.receive(.set(\.token, to: nil))
        precondition(mint.releases == number, "\(mint.releases) of \(number) are released")
      }
    }
  }

  @Test("The last state before a deactivation may call the store when it is released, even if never saved")
  func unsavedState() async {
    await #expect(processExitsWith: .success) {
      let storage = MemoryStorage()
      let mint = Mint()
      let persistence = try mint.store.persist(\.self, in: storage, saving: .onDemand, onFinalFailure: { _ in })
      mint.store.receive(.set { [token = mint.token(1)] in $0.token = token })
      storage.fail(times: 2)
      mint.store.deactivate()
      mint.store.activate()
      let old = Mutex<Token?>(nil)
      mint.store.receive(.set { state in old.withLock { $0 = state.token.take() } })
      old.withLock { $0 = nil }
      // The next last state takes its place.
      mint.store.deactivate()
      precondition(mint.releases == 1, "\(mint.releases) are released")
      mint.store.activate()
      withExtendedLifetime(persistence) {}
    }
  }

  @Test("A state that a restored one replaces may call the store when it is released")
  func restoredState() async {
    await #expect(processExitsWith: .success) {
      let storage = MemoryStorage()
      let before = AsyncStore(state: Drawer(), env: ())
      try before.persist(\.self, in: storage, saving: .onDemand)
      before.deactivate()
      let mint = Mint()
      mint.store.receive(.set { [token = mint.token(1)] in $0.token = token })
      try mint.store.persist(\.self, in: storage, saving: .onDemand)
      precondition(mint.releases == 1, "\(mint.releases) are released")
    }
  }
}
