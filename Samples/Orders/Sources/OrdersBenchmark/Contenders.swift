import AsyncStore
import AsyncStoreServices
import Hummingbird

/// A server that does the same as another one, in its own way.
struct Contender: Sendable {
  let name: String
  let handle: @Sendable (Int) async throws -> Void
}

/// A partner that answers after a time, or at once.
struct Partner: Sendable {
  let latency: Duration

  func call(_ step: String, _ id: Int) async throws {
    if latency > .zero { try await Task.sleep(for: latency) }
  }
}

/// What both keep: the stage of each open order, and a count of those that are done.
struct Book: Sendable, Equatable {
  enum Stage: Sendable { case reserving, charging, shipping }

  var open: [Int: Stage] = [:]
  var done = 0
}

/// A hand-written service, without retries, limits in time, or a way to take back what has happened.
actor ActorShop {
  private let partner: Partner
  private var book = Book()

  init(_ partner: Partner) { self.partner = partner }

  func count() { book.done += 1 }

  func fulfil(_ id: Int) async throws {
    book.open[id] = .reserving
    try await partner.call("reserve", id)
    book.open[id] = .charging
    try await partner.call("charge", id)
    book.open[id] = .shipping
    try await partner.call("ship", id)
    book.open[id] = nil
    book.done += 1
  }
}

/// The same, as a store of which each step has retries, a limit in time, and an undo.
typealias Shop = AsyncStore<Book, Partner>

extension Shop.Effect {
  static func fulfil(_ id: Int) -> Self {
    .sequence(
      .set { $0.open[id] = .reserving }.compensated(by: .set { $0.open[id] = nil }),
      .step("reserve", id).compensated(by: .step("release", id)),
      .set { $0.open[id] = .charging },
      .step("charge", id).compensated(by: .step("refund", id)),
      .set { $0.open[id] = .shipping },
      .step("ship", id),
      .set { book in
        book.open[id] = nil
        book.done += 1
      })
  }

  private static func step(_ name: String, _ id: Int) -> Self {
    Self.perform { partner in
      try await partner.call(name, id)
      return .none
    }
    .timeout(.seconds(2), else: .task { throw TimedOut() })
    .retry(.exponential(first: .milliseconds(20)).limitedTo(attempts: 4))
  }
}

struct TimedOut: Error {}
