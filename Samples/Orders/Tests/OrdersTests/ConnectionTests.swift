import AsyncStoreServices
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import Testing

@testable import Orders

/// A real server and real sockets, in one process.
@Suite("A client that is connected", .timeLimit(.minutes(1)))
struct ConnectionTests {
  private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private let board = BoardStore(state: Board(), env: ())

  /// Serves as long as the body takes, and shuts down.
  private func serve(
    _ router: Router<ShopContext>, beside services: [any Service] = [], patience: Duration = .seconds(60),
    limit: Duration = .seconds(20), _ body: (ReluctantClient) async throws -> Void
  ) async throws {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, server: .http1(configuration: .limited(grace: .milliseconds(200), patience: patience)),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { listening.yield($0.localAddress?.port ?? 0) }, logger: quiet)
    let group = ServiceGroup(
      configuration: .serving((services + [application]).map { .init(service: $0) }, limit: limit, quiet))
    async let running: Void = group.run()
    let client = try await ReluctantClient(port: try #require(await ports.first { _ in true }))
    try await body(client)
    await group.triggerGracefulShutdown()
    try await running
    try? await client.close()
  }

  private var events: Router<ShopContext> {
    let router = Router(context: ShopContext.self)
    router.get("events") { [board] _, context in Response(events: board, by: context.channel) }
    return router
  }

  private func show(_ number: Int, megabytes: Int = 0) {
    let json = String(repeating: "x", count: megabytes << 20)
    _ = board.update { $0.event = BoardEvent(number: number, json: json) }
  }

  @Test("A client that never reads the events does not hold up a shutdown")
  func stuckReader() async throws {
    // More than all buffers between the server and the client take, so that the server is still writing it.
    show(1, megabytes: 64)
    try await serve(events) { client in
      try await client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      _ = try await client.read(until: "data: xxx")
    }
    #expect(board.inFlight.isEmpty)
  }

  @Test("A client that never sends the rest of its order does not hold up a shutdown")
  func halfOrder() async throws {
    let shop = try Shop(Partners { _, _ in }, logger: quiet)
    try await serve(Routes(shop: shop, metrics: PrometheusFactory()).router()) { client in
      // In one packet with a request that is answered, so that the order has begun to arrive when the answer comes.
      try await client.send(
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nPOST /orders HTTP/1.1\r\nHost: 127.0.0.1\r\n"
          + "Content-Length: 100\r\n\r\n{")
      _ = try await client.read(until: "active")
    }
    #expect(shop.orders.counts.accepted == 0)
  }

  @Test("A client that reads slowly gets the newest event and skips older ones")
  func slowReader() async throws {
    show(1, megabytes: 16)
    try await serve(events) { client in
      try await client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      _ = try await client.read(until: "data: xxx")
      for number in 2...1_000 { show(number) }
      let text = try await client.read(until: "id: 1000\n")
      // One may have been on its way when the others came.
      #expect(text.components(separatedBy: "id: ").count - 1 <= 3)
    }
  }

  @Test("The server gives up a client that never reads, and closes its connection")
  func neverReads() async throws {
    show(1, megabytes: 64)
    let (closed, closing) = AsyncStream.makeStream(of: Never.self)
    let router = Router(context: ShopContext.self)
    router.get("events") { [board] _, context in
      context.channel.closeFuture.whenComplete { _ in closing.finish() }
      return Response(events: board, by: context.channel)
    }
    try await serve(router, patience: .milliseconds(100)) { client in
      try await client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      _ = try await client.read(until: "data: xxx")
      for await _ in closed {}
    }
  }

  @Test("A connection stays open as long as fewer and fewer bytes wait for its client")
  func readsSlowly() throws {
    let channel = EmbeddedChannel(handler: ReadingHandler(patience: .seconds(60)))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "client")).wait()
    func look(afterWriting bytes: Int) {
      channel.flush()
      channel.write(ByteBuffer(repeating: 0, count: bytes), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    }
    channel.write(ByteBuffer(repeating: 0, count: 1_000), promise: nil)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    for waiting in [900, 500, 499] {
      look(afterWriting: waiting)
      #expect(channel.isActive)
    }
    look(afterWriting: 499)
    #expect(!channel.isActive)
  }

  @Test("A client that waits for an order that can't be undone does not hold up a shutdown")
  func stuckOrder() async throws {
    var settings = Shop.Settings()
    settings.rules.timeout = .seconds(3_600)
    settings.cleanup = .milliseconds(100)
    let partners = Partners { _, _ in try await Task.sleep(for: .seconds(3_600)) }
    let shop = try Shop(partners, settings: settings, logger: quiet)
    let error = await #expect(throws: StoreServiceError.self) {
      try await serve(
        Routes(shop: shop, metrics: PrometheusFactory()).router(), beside: [shop.service], limit: .milliseconds(400)
      ) { client in
        let body = #"{"item": "lamp", "quantity": 1}"#
        try await client.send(
          "POST /orders?wait=true HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try await shop.orders.wait(for: \.counts.accepted, toEqual: 1)
      }
    }
    #expect(error?.code == .notEnded && shop.orders.phase == .inactive)
  }

  @Test("An order is undone when its client leaves before the order is done")
  func gone() async throws {
    var settings = Shop.Settings()
    settings.rules.timeout = .seconds(3_600)
    let partners = Partners { call, _ in if call == .charge { try await Task.sleep(for: .seconds(3_600)) } }
    let shop = try Shop(partners, settings: settings, logger: quiet)
    try await serve(Routes(shop: shop, metrics: PrometheusFactory()).router()) { client in
      let body = #"{"item": "lamp", "quantity": 1}"#
      try await client.send(
        "POST /orders?wait=true HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      try await shop.orders.wait(for: \.counts.accepted, toEqual: 1)
      try await client.close()
      try await shop.orders.wait(for: \.counts.undone, toEqual: 1)
    }
    #expect(shop.orders.inFlight.isEmpty)
  }
}
