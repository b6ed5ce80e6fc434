import AsyncStoreActions
import Synchronization

/// A model of a value that calls the store when it is released.
struct Vault: Model {
  typealias Environment = Void

  enum Action: Sendable {
    case keep(Token?), note(Token)
    case count
    case begin(Token)
  }

  var token: Token?
  var tokens: [Int: Token] = [:]
  var count = 0

  static func update(_ state: inout Vault, _ action: Action) -> AsyncStore<Vault, Void>.Effect {
    switch action {
    case .keep(let token): state.token = token
    case .note, .count: state.count += 1
    case .begin(let token):
      return .read { _ in
        withExtendedLifetime(token) { .none }
      }
    }
    return .none
  }
}

/// A value that calls a store when it is released; two of the same number are equal.
final class Token: Sendable, Equatable {
  let number: Int
  private let whenReleased: @Sendable () -> Void

  init(_ number: Int, whenReleased: @escaping @Sendable () -> Void) {
    self.number = number
    self.whenReleased = whenReleased
  }

  deinit { whenReleased() }

  static func == (left: Token, right: Token) -> Bool { left.number == right.number }
}

/// Makes the values, and counts those that have been released, each of which could call the store.
final class Mint: Sendable {
  let store = StoreOf<Vault>(state: Vault(), env: ())
  private let count = Atomic(0)
  private let (releasing, release) = AsyncStream.makeStream(of: Void.self)

  var releases: Int { count.load(ordering: .relaxed) }

  /// Waits until so many are released, also by a task that has nothing else to do any more.
  func waitForReleases(_ count: Int) async {
    for await _ in releasing where releases >= count { return }
  }

  func token(_ number: Int = 0) -> Token {
    Token(number) { [weak self] in
      // It traps if the thread has the store's lock.
      guard let self, store.isActive else { return }
      count.add(1, ordering: .relaxed)
      release.yield()
    }
  }
}
