import AsyncStore

// The types that the mistakes in this folder use.

struct Feed: Sendable {
  struct Draft: Sendable { var text = "" }

  let id = 1
  var items: [String] = []
  var count = 0
  var draft = Draft()
}

struct UserService: Sendable {
  func items() async throws -> [String] { ["one", "two"] }
}

typealias FeedStore = AsyncStore<Feed, UserService>

struct Basket: Sendable { var count = 0 }
