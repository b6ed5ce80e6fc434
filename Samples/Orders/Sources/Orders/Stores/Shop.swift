import AsyncStore
import AsyncStorePersistence
import AsyncStoreServices
import Logging
import Synchronization

/// The service without its server: the stores, how they hang together, and what clients can do.
final class Shop: Sendable {
  /// The settings of a shop.
  struct Settings: Sendable {
    var rules = Fulfilment.Rules()
    /// The orders that are fulfilled at once, besides those that were open when the shop opened; one more is refused
    /// as busy.
    var ordersAtOnce = 2_000
    /// The stock of each item.
    var stock = 1_000_000
    /// The closed orders that are kept.
    var memory = 100
    /// The longest times of a shutdown.
    ///
    /// The server, which ends first, is part of the twenty seconds after which all is cut short, and only the cleanup
    /// is left. That is less than the half minute that a supervisor mostly gives a process.
    var drain: Duration = .seconds(15)
    var cleanup: Duration = .seconds(5)
  }

  let orders: OrderStore
  let stock: StockStore
  let till: TillStore
  let board: BoardStore
  /// The stores as one service.
  ///
  /// Orders come first, because they lift effects into the others; the board comes last, because it is bound to all.
  let service: StoreService

  private let persistence: Persistence?
  private let requests: RequestScope<OrderBook, Fulfilment>
  /// The last number given to an order, and the last one that is saved as set aside.
  private let numbers: Mutex<(last: Int, reserved: Int)>

  /// Opens a shop.
  ///
  /// Orders that were open when the state was saved are fulfilled once more from the beginning: partners know them by
  /// their numbers. Those that were being given up are taken back. So is one that is given up now, with all that may
  /// have happened before: the saved stage may be a second old.
  ///
  /// - Parameters:
  ///   - storage: the storage of the orders, or `nil` if nothing is saved.
  ///   - clock: the time of the stores.
  ///   - executor: the executor of the operations; by default Swift's own threads.
  ///   - instrument: is told what happens in the stores; by default nobody.
  ///   - logger: the log that is told of the shutdown.
  /// - Throws: `PersistenceError` if the saved state can't be used, or none can be saved.
  init(
    _ partners: Partners, settings: Settings = Settings(), storage: (any Storage)? = nil,
    clock: some Clock<Duration> = ContinuousClock(), executor: (any TaskExecutor)? = nil,
    instrument: (any StoreInstrument)? = nil, logger: Logger = Logger(label: "orders")
  ) throws {
    stock = StockStore(
      state: Stock(settings.stock), env: (), name: "stock", clock: clock, executor: executor, instrument: instrument)
    till = TillStore(
      state: Till(), env: (), name: "till", clock: clock, executor: executor, instrument: instrument)
    let fulfilment = Fulfilment(partners: partners, stock: stock, till: till, rules: settings.rules, logger: logger)
    orders = OrderStore(
      state: OrderBook(), env: fulfilment, name: "orders", clock: clock, executor: executor, instrument: instrument)
    board = BoardStore(
      state: Board(), env: (), name: "board", clock: clock, executor: executor, instrument: instrument)
    persistence = try storage.map { [orders] in try orders.persist(in: $0, logger) }
    let book = orders.state
    orders.update { $0.memory = settings.memory }
    stock.update { $0 = Stock(settings.stock, sold: book.sold) }
    till.update { $0 = Till(captured: book.revenue) }
    numbers = Mutex((last: book.lastNumber, reserved: book.lastNumber))
    requests = RequestScope(orders, under: Self.prefix, atMost: settings.ordersAtOnce)
    service = StoreService(
      ["orders": orders, "stock": stock, "till": till, "board": board], drain: settings.drain,
      cleanup: settings.cleanup, counting: [Self.prefix] + PartnerCall.partners.map { .calls(at: $0) }, clock: clock,
      logger: logger)
    try numbers.withLock { numbers in numbers.reserved = try reserveNumbers(after: numbers.last) }
    board.follow(orders, stock, till)
    for order in book.open.values.sorted(by: { $0.id < $1.id }) {
      let isGivenUp = order.stage == .undoing || order.stage == .stuck
      let effect =
        isGivenUp
        ? OrderStore.Effect.undo(order, settings.rules) : .fulfil(order, fulfilment, isReopened: true)
      orders.receive(effect.id(Self.identifier(of: order.id)))
    }
  }

  /// Makes sure, once the shop has been shut down, that the last state is saved.
  ///
  /// - Throws: `PersistenceError` if it can't be saved, so that the program does not end as if all were well.
  func checkSaved() throws {
    if let persistence, persistence.lastFailure != nil { try persistence.save() }
  }

  // MARK: What clients do

  /// Accepts an order; it is fulfilled whether the client waits or not.
  ///
  /// - Throws: `StoreServiceError` if the shop is busy or closing; `PersistenceError` if no number could be set aside.
  func place(_ draft: OrderDraft) throws -> Order {
    let order = Order(id: try nextNumber(), draft)
    try requests.receive(.fulfil(order, orders.env), id: Self.identifier(of: order.id))
    return order
  }

  /// Fulfils an order for a client that waits: if the calling task is cancelled, the order is undone.
  ///
  /// - Returns: the order as it has ended, also if somebody else has cancelled it.
  /// - Throws: `StoreServiceError` if the shop is busy or closing, or has ended before the order; `CancellationError`
  ///   if the calling task was cancelled; `PersistenceError` if no number could be set aside.
  func fulfil(_ draft: OrderDraft) async throws -> Order {
    let order = Order(id: try nextNumber(), draft)
    // Noted as it ends, because the book forgets closed orders.
    let ended = Ended()
    let effect = OrderStore.Effect.fulfil(order, orders.env) { order in
      ended.note(order)
      return .none
    }
    do {
      try await requests.run(effect, id: Self.identifier(of: order.id))
    } catch let error as StoreServiceError where error.code == .cancelled {
      guard let order = ended.order else { throw error }
      return order
    }
    return ended.order ?? order
  }

  /// Cancels an order that is open; it is undone, by the next process if this one ends after the next save.
  func cancel(_ id: Int) {
    // From here on the order does not advance, which would hide that it is given up.
    orders.receive(.cancel(Self.identifier(of: id)))
    orders.receive(.set { $0.giveUp(id) })
  }

  /// Returns a number that no order has had, not even one of a process that was killed before it was saved.
  ///
  /// Partners would take a second order of the same number for the first one. So numbers are saved as set aside, many
  /// at a time, before the first of them is given; the caller who needs more waits for that.
  private func nextNumber() throws -> Int {
    try numbers.withLock { numbers in
      if numbers.last == numbers.reserved { numbers.reserved = try reserveNumbers(after: numbers.last) }
      numbers.last += 1
      return numbers.last
    }
  }

  /// Sets numbers aside; those that no order has are lost when the process ends.
  ///
  /// - Returns: the last of them.
  private func reserveNumbers(after last: Int) throws -> Int {
    orders.update { $0.reserve(upTo: last + 10_000) }
    try persistence?.save()
    return last + 10_000
  }

  /// An order as it has ended.
  private final class Ended: Sendable {
    private let content = Mutex<Order?>(nil)

    /// The order, or `nil` if it has not ended.
    var order: Order? { content.withLock { $0 } }

    func note(_ order: Order) { content.withLock { $0 = order } }
  }

  private static var prefix: EffectID { "order" }
  private static func identifier(of id: Int) -> EffectID { prefix.appending(id) }
}
