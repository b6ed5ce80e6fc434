/// An order, from its acceptance until it is done or undone.
struct Order: Codable, Hashable, Sendable, Identifiable {
  /// The place of an order in its life.
  enum Stage: String, Codable, Hashable, Sendable, CaseIterable {
    case reserving, charging, shipping
    /// Being given up: what has happened is taken back.
    case undoing
    /// Shipped and paid.
    case done
    /// Given up, with all that had happened taken back.
    case undone
    /// Given up, and a partner did not answer to taking it back: somebody has to look.
    case stuck
  }

  let id: Int
  let item: String
  let quantity: Int
  let cents: Int
  var stage = Stage.reserving
  /// The reason why it was given up.
  var reason: String?

  init(id: Int, _ draft: OrderDraft) {
    (self.id, item, quantity) = (id, draft.item, draft.quantity)
    cents = draft.quantity * (Catalog.prices[draft.item] ?? 0)
  }
}

/// A client's request for an order.
struct OrderDraft: Codable, Hashable, Sendable {
  var item: String
  var quantity: Int

  /// A description of the mistake in the request, or `nil` if there is none.
  var fault: String? {
    if Catalog.prices[item] == nil {
      return "There is no item \(item); there are \(Catalog.items.joined(separator: ", "))."
    }
    if !(1...100).contains(quantity) { return "The quantity is from 1 to 100, not \(quantity)." }
    return nil
  }
}

/// The items for sale, with their prices in cents.
enum Catalog {
  static let prices = ["lamp": 4_900, "chair": 12_900, "table": 34_900, "shelf": 8_900]
  static let items = prices.keys.sorted()
}
