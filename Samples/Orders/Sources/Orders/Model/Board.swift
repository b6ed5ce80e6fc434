/// The state that the page shows, bound to all stores.
struct Board: Equatable, Sendable {
  var orders = OrderBook()
  var stock = Stock(0)
  var till = Till()
  /// The board as an event for the page; written once for all readers.
  var event = BoardEvent()
}

/// The board as text, with a number that grows.
struct BoardEvent: Equatable, Sendable {
  var number = 0
  var json = "{}"
}

extension Board: Encodable {
  private enum Key: CodingKey { case counts, stages, open, newest, stock, captured, refunded }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(orders.counts, forKey: .counts)
    try container.encode(
      Dictionary(orders.open.values.map { ($0.stage.rawValue, 1) }, uniquingKeysWith: +), forKey: .stages)
    // The page shows a few; the counts tell of the others.
    try container.encode(orders.open.values.sorted { $0.id < $1.id }.prefix(12).map { $0 }, forKey: .open)
    try container.encode(Array(orders.closed.suffix(12).reversed()), forKey: .newest)
    try container.encode(stock.items, forKey: .stock)
    try container.encode(till.captured, forKey: .captured)
    try container.encode(till.refunded, forKey: .refunded)
  }
}
