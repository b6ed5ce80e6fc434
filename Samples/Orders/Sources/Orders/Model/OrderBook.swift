/// The state of the orders: all that are open, the newest that are closed, and counts of all.
///
/// It does not grow with the orders that are closed, and is what is saved.
struct OrderBook: Codable, Equatable, Sendable {
  /// Counts of orders since the service was first started.
  struct Counts: Codable, Equatable, Sendable {
    var accepted = 0
    var done = 0
    var undone = 0
    var stuck = 0
  }

  private(set) var open: [Int: Order] = [:]
  /// The newest closed orders, the newest last.
  private(set) var closed: [Order] = []
  private(set) var counts = Counts()
  /// The number of items sold, by item.
  private(set) var sold: [String: Int] = [:]
  private(set) var revenue = 0
  /// The number of closed orders that are kept.
  var memory = 100
  /// A number that grows with each change.
  private(set) var revision = 0

  subscript(id: Int) -> Order? { open[id] ?? closed.last { $0.id == id } }

  /// The largest number of an order that was accepted; files of earlier versions lack it.
  private var largestNumber: Int?

  /// The largest number that was set aside for orders, which a process that was killed may have given to one; files of
  /// earlier versions lack it.
  private var reservedNumber: Int?

  /// A number that no later order may have, because partners know orders by their numbers.
  ///
  /// Not the largest of those that are kept: the newest order may be closed, and forgotten, before older ones are.
  var lastNumber: Int {
    max(
      largestNumber ?? 0, reservedNumber ?? 0, open.keys.max() ?? 0, closed.map(\.id).max() ?? 0, counts.accepted)
  }

  /// Sets the numbers up to this one aside.
  mutating func reserve(upTo number: Int) { reservedNumber = max(reservedNumber ?? 0, number) }

  /// Takes an order in, or once more after a restart.
  mutating func accept(_ order: Order) {
    var order = order
    (order.stage, order.reason) = (.reserving, nil)
    if open.updateValue(order, forKey: order.id) == nil { counts.accepted += 1 }
    largestNumber = max(largestNumber ?? 0, order.id)
    revision += 1
  }

  mutating func advance(_ id: Int, to stage: Order.Stage) {
    open[id]?.stage = stage
    revision += 1
  }

  /// Gives an order up, before anything of it is taken back; a stuck one stays that.
  mutating func giveUp(_ id: Int) {
    guard open[id]?.stage != .stuck else { return }
    advance(id, to: .undoing)
  }

  /// Notes why an order is being given up; the first reason counts.
  mutating func note(_ reason: String, of id: Int) {
    if open[id]?.reason == nil { open[id]?.reason = reason }
  }

  /// Ends an order as done, as undone, or as stuck if it was noted as that.
  ///
  /// - Returns: the order as it has ended, or `nil` if it was not open.
  @discardableResult
  mutating func close(_ id: Int, as stage: Order.Stage) -> Order? {
    guard var order = open.removeValue(forKey: id) else { return nil }
    if order.stage != .stuck { order.stage = stage }
    switch order.stage {
    case .done:
      counts.done += 1
      sold[order.item, default: 0] += order.quantity
      revenue += order.cents
    case .stuck: counts.stuck += 1
    default:
      counts.undone += 1
      if order.reason == nil { order.reason = "cancelled" }
    }
    closed.append(order)
    let kept = max(memory, 0)
    // Halved and not doubled, because any number of orders may be kept.
    if closed.count / 2 >= kept { closed.removeFirst(closed.count - kept) }
    revision += 1
    return order
  }
}
