import AsyncStoreServices
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import Orders

@Suite("The surface of the shop")
struct RoutesTests {
  let shop: Shop
  let application: Application<RouterResponder<ShopContext>>

  init() throws {
    var settings = Shop.Settings()
    settings.ordersAtOnce = 1
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    // The first order never ends: its partner does not answer.
    let partners = Partners { call, order in
      if order.item == "table", !call.isUndo { try await Task.sleep(for: .seconds(3_600)) }
    }
    settings.rules.timeout = .seconds(3_600)
    shop = try Shop(partners, settings: settings, logger: quiet)
    application = Application(router: Routes(shop: shop, metrics: PrometheusFactory()).router(), logger: quiet)
  }

  private func body(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

  private func order(_ response: TestResponse) throws -> Order {
    try JSONDecoder().decode(Order.self, from: Data(response.body.readableBytesView))
  }

  @Test("The shop accepts an order at once and says where to find it")
  func place() async throws {
    try await application.test(.router) { client in
      let answer = try await client.execute(
        uri: "/orders", method: .post, body: body(#"{"item": "lamp", "quantity": 2}"#))
      #expect(answer.status == .accepted)
      let placed = try order(answer)
      #expect(placed.cents == 9_800 && answer.headers[.location] == "/orders/\(placed.id)")
      try await shop.orders.wait(for: \.counts.done, toEqual: 1)
      let found = try order(try await client.execute(uri: "/orders/\(placed.id)", method: .get))
      #expect(found.stage == .done)
      let list = try await client.execute(uri: "/orders", method: .get)
      #expect(String(buffer: list.body).hasPrefix(#"{"closed":[{"#))
    }
  }

  @Test("The shop answers a client that waits once its order is done")
  func wait() async throws {
    try await application.test(.router) { client in
      let answer = try await client.execute(
        uri: "/orders?wait=true", method: .post, body: body(#"{"item": "lamp", "quantity": 2}"#))
      #expect(answer.status == .ok)
      #expect(try order(answer).stage == .done)
    }
  }

  @Test(
    "The shop refuses a malformed order and says why",
    arguments: [
      ("lamp", "An order is"), (#"{"item": "lamp"}"#, "An order is"),
      (#"{"item": "boat", "quantity": 1}"#, "no item boat"), (#"{"item": "lamp", "quantity": 0}"#, "from 1 to 100"),
    ])
  func refused(text: String, reason: String) async throws {
    try await application.test(.router) { client in
      let answer = try await client.execute(uri: "/orders", method: .post, body: body(text))
      #expect(answer.status == .badRequest && String(buffer: answer.body).contains(reason))
    }
    #expect(shop.orders.counts.accepted == 0)
  }

  @Test("The shop asks clients to come back later when it is busy or closing")
  func busy() async throws {
    try await application.test(.router) { client in
      let draft = body(#"{"item": "table", "quantity": 1}"#)
      let first = try order(try await client.execute(uri: "/orders", method: .post, body: draft))
      let second = try await client.execute(uri: "/orders", method: .post, body: draft)
      #expect(second.status == .tooManyRequests && second.headers[.retryAfter] == "1")

      let cancelled = try await client.execute(uri: "/orders/\(first.id)", method: .delete)
      #expect(cancelled.status == .accepted)
      try await shop.service.shutdown()
      let late = try await client.execute(uri: "/orders", method: .post, body: draft)
      #expect(late.status == .serviceUnavailable && late.headers[.retryAfter] == "1")
    }
  }

  @Test("The shop answers an unknown order or path with status 404")
  func missing() async throws {
    try await application.test(.router) { client in
      for (uri, method) in [("/orders/7", HTTPRequest.Method.get), ("/orders/7", .delete), ("/nothing", .get)] {
        let status = try await client.execute(uri: uri, method: method).status
        #expect(status == .notFound, "\(method) \(uri)")
      }
    }
  }

  @Test("The shop reports itself healthy as long as it takes orders")
  func health() async throws {
    try await application.test(.router) { client in
      let healthy = try await client.execute(uri: "/health", method: .get)
      let counts = #""inFlightByPrefix":{"calls/bank":0,"calls/carrier":0,"calls/warehouse":0,"order":0}"#
      #expect(healthy.status == .ok && String(buffer: healthy.body).contains(counts))
      try await shop.service.shutdown()
      let ended = try await client.execute(uri: "/health", method: .get)
      #expect(ended.status == .serviceUnavailable && String(buffer: ended.body).contains(#""phase":"inactive""#))
    }
  }

  @Test("The shop serves the page and its parts", arguments: ["/", "/board.css", "/board.js", "/board", "/metrics"])
  func page(path: String) async throws {
    try await application.test(.router) { client in
      let status = try await client.execute(uri: path, method: .get).status
      #expect(status == .ok)
    }
  }
}
