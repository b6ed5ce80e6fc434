import AsyncStoreTesting
import Synchronization

@testable import Orders

/// Partners that keep books of their own, and fail as the test or its schedule decides.
final class FakePartners: Sendable {
  struct Books {
    var reserved: Set<Int> = []
    var charged: Set<Int> = []
    var shipped: Set<Int> = []
    var calls: [PartnerCall: Int] = [:]
    var atOnce: [String: Int] = [:]
    var mostAtOnce: [String: Int] = [:]
    var planned: [PartnerCall: [PartnerError]] = [:]
  }

  private let books = Mutex(Books())
  private let faults: Faults

  init(_ faults: Faults) { self.faults = faults }

  var now: Books { books.withLock { $0 } }

  var partners: Partners { Partners { call, order in try await self.call(call, order) } }

  /// Has the next calls fail with these errors, one after the other.
  func fail(_ call: PartnerCall, with errors: PartnerError...) { books.withLock { $0.planned[call] = errors } }

  private func call(_ call: PartnerCall, _ order: Order) async throws {
    let planned = books.withLock { books -> PartnerError? in
      books.calls[call, default: 0] += 1
      books.atOnce[call.partner, default: 0] += 1
      books.mostAtOnce[call.partner] = max(books.mostAtOnce[call.partner] ?? 0, books.atOnce[call.partner] ?? 0)
      guard let errors = books.planned[call], !errors.isEmpty else { return nil }
      return books.planned[call]?.removeFirst()
    }
    defer { books.withLock { $0.atOnce[call.partner, default: 0] -= 1 } }
    if let planned { throw planned }
    try await faults.strike()
    books.withLock { books in
      switch call {
      case .reserve: books.reserved.insert(order.id)
      case .release: books.reserved.remove(order.id)
      case .charge: books.charged.insert(order.id)
      case .refund: books.charged.remove(order.id)
      case .ship: books.shipped.insert(order.id)
      case .recall: books.shipped.remove(order.id)
      }
    }
    // It has happened, and the answer may be lost all the same.
    try await faults.strike()
  }
}
