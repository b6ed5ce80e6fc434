import AsyncStorePersistence
import AsyncStoreServices
import Foundation
import Hummingbird

/// The surface of the shop: REST, server-sent events, health, metrics, and the page.
struct Routes: Sendable {
  let shop: Shop
  let metrics: PrometheusFactory

  func router() -> Router<ShopContext> {
    let router = Router(context: ShopContext.self)
    router.add(middleware: MetricsMiddleware())
    router.add(middleware: Refusals())
    router.post("orders", use: place)
    router.get("orders") { _, _ in Response(json: shop.orders.withState { OrderList($0) }) }
    router.get("orders/:id", use: find)
    router.delete("orders/:id", use: cancel)
    router.get("board") { _, _ in Response(jsonText: shop.board.event.json) }
    router.get("events") { _, context in Response(events: shop.board, by: context.channel) }
    router.get("health") { _, _ in
      let health = shop.service.health
      return Response(status: health.isReady ? .ok : .serviceUnavailable, json: health)
    }
    router.get("metrics") { _, _ in
      Response(text: metrics.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }
    for file in PageFile.all {
      router.get(RouterPath(file.path)) { _, _ in Response(text: file.text, type: file.type) }
    }
    return router
  }

  /// Accepts an order.
  ///
  /// A client that says `?wait=true` waits for its end, and the order is undone if the client goes.
  @Sendable
  private func place(_ request: Request, _ context: ShopContext) async throws -> Response {
    guard request.uri.queryParameters["wait"] == "true" else {
      let order = try shop.place(await draft(of: request, context))
      return Response(status: .accepted, json: order, headers: [.location: "/orders/\(order.id)"])
    }
    return try await request.body.consumeWithCancellationOnInboundClose { body in
      let bytes = try await body.collect(upTo: 4_096)
      return Response(json: try await shop.fulfil(draft(bytes)))
    }
  }

  @Sendable
  private func find(_ request: Request, _ context: ShopContext) throws -> Response {
    let id = try context.parameters.require("id", as: Int.self)
    guard let order = shop.orders.withState({ $0[id] }) else { throw HTTPError(.notFound, message: "No order \(id).") }
    return Response(json: order)
  }

  @Sendable
  private func cancel(_ request: Request, _ context: ShopContext) throws -> Response {
    let id = try context.parameters.require("id", as: Int.self)
    guard shop.orders.withState({ $0.open[id] != nil }) else {
      throw HTTPError(.notFound, message: "No open order \(id).")
    }
    shop.cancel(id)
    return Response(status: .accepted)
  }

  private func draft(of request: Request, _ context: ShopContext) async throws -> OrderDraft {
    try draft(try await request.body.collect(upTo: 4_096))
  }

  private func draft(_ bytes: ByteBuffer) throws -> OrderDraft {
    guard let draft = try? JSONDecoder().decode(OrderDraft.self, from: Data(bytes.readableBytesView)) else {
      throw HTTPError(.badRequest, message: #"An order is {"item": "lamp", "quantity": 2}."#)
    }
    if let fault = draft.fault { throw HTTPError(.badRequest, message: fault) }
    return draft
  }
}

/// The orders that are open, and the newest that are closed, the newest first.
struct OrderList: Encodable, Sendable {
  let open: [Order]
  let closed: [Order]

  init(_ book: OrderBook) {
    open = book.open.values.sorted { $0.id < $1.id }
    closed = book.closed.reversed()
  }
}

/// Answers a refused order with the status that says so.
struct Refusals: RouterMiddleware {
  typealias Context = ShopContext

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as StoreServiceError where error.code == .busy || error.code == .unavailable {
      throw HTTPError(
        error.code == .busy ? .tooManyRequests : .serviceUnavailable, headers: [.retryAfter: "1"],
        message: error.code == .busy ? "Too many orders at once." : "The shop is closing.")
    } catch is PersistenceError {
      throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "Orders can't be saved at the moment.")
    } catch let error where error is CancellationError || (error as? StoreServiceError)?.code == .cancelled {
      throw HTTPError(.serviceUnavailable, message: "The order was cancelled.")
    }
  }
}
