/// The goods that are left, by item.
struct Stock: Codable, Equatable, Sendable {
  private(set) var items: [String: Int]

  init(_ count: Int, sold: [String: Int] = [:]) {
    items = Dictionary(uniqueKeysWithValues: Catalog.items.map { ($0, count - sold[$0, default: 0]) })
  }

  mutating func take(_ order: Order) { items[order.item, default: 0] -= order.quantity }
  mutating func giveBack(_ order: Order) { items[order.item, default: 0] += order.quantity }
}

/// The money taken, in cents.
struct Till: Codable, Equatable, Sendable {
  private(set) var captured: Int
  private(set) var refunded = 0

  init(captured: Int = 0) { self.captured = captured }

  var balance: Int { captured - refunded }

  mutating func capture(_ order: Order) { captured += order.cents }
  mutating func refund(_ order: Order) { refunded += order.cents }
}
