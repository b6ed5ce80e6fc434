import AsyncStoreServices
import AsyncStoreTesting
import Testing

@testable import Orders

@Suite("An order", .simulated(time: .manual, atEnd: .cancels))
struct FulfilmentTests {
  let simulation: Simulation

  init() throws { simulation = try #require(Simulation.current) }

  @Test("An order is reserved, charged and shipped, one after the other, and then done")
  func stages() async throws {
    let (shop, partners) = try simulation.shop()
    let id = try shop.place(.lamps).id
    var stages: [Order.Stage?] = []
    for _ in 1...4 {
      stages.append(shop.orders.state[id]?.stage)
      await simulation.clock.advance(by: .milliseconds(100))
    }
    #expect(stages == [.reserving, .charging, .shipping, .done])
    #expect(partners.now.shipped == [id] && partners.now.charged == [id])
    #expect(shop.orders.counts == OrderBook.Counts(accepted: 1, done: 1))
    #expect(shop.stock.items["lamp"] == Shop.Settings().stock - 2)
    #expect(shop.till.balance == 2 * 4_900 && shop.orders.revenue == 2 * 4_900)
    #expect(shop.orders.inFlight.isEmpty)
  }

  @Test("An order that a partner refuses is undone, at the partners too, and says why")
  func refused() async throws {
    let (shop, partners) = try simulation.shop()
    partners.fail(.ship, with: .refused("carrier"))
    let id = try shop.place(.lamps).id
    await simulation.clock.advance(by: .seconds(2))
    let order = try #require(shop.orders.state[id])
    #expect(order.stage == .undone && order.reason == "the carrier refuses")
    #expect(partners.now.reserved.isEmpty && partners.now.charged.isEmpty)
    #expect(partners.now.calls[.ship] == 1, "a refusal is not tried again")
    #expect(shop.till.refunded == 2 * 4_900 && shop.till.balance == 0)
    #expect(shop.stock.items["lamp"] == Shop.Settings().stock)
  }

  @Test("An order is tried again while a partner is not available, and done once it is")
  func retried() async throws {
    let (shop, partners) = try simulation.shop()
    partners.fail(.charge, with: .unavailable("bank"), .unavailable("bank"))
    let id = try shop.place(.lamps).id
    await simulation.clock.advance(by: .seconds(2))
    #expect(shop.orders.state[id]?.stage == .done)
    #expect(shop.orders.state[id]?.reason == nil)
    #expect(partners.now.calls[.charge] == 3)
  }

  @Test("An order is undone when a partner is still not available at the last attempt")
  func givenUp() async throws {
    let (shop, partners) = try simulation.shop()
    let away = PartnerError.unavailable("bank")
    partners.fail(.charge, with: away, away, away, away)
    let id = try shop.place(.lamps).id
    await simulation.clock.advance(by: .seconds(5))
    #expect(shop.orders.state[id]?.stage == .undone)
    #expect(shop.orders.state[id]?.reason == "the bank is not available")
    #expect(partners.now.calls[.charge] == 4)
  }

  @Test("An order whose partner never answers ends as stuck once the attempts to undo it have failed")
  func hanging() async throws {
    let (shop, partners) = try simulation.shop(hangs: 1)
    let id = try shop.place(.lamps).id
    await simulation.clock.advance(by: .seconds(30))
    #expect(shop.orders.state[id]?.stage == .stuck, "nor does the partner answer to taking it back")
    #expect(shop.orders.state[id]?.reason == "the warehouse does not answer")
    #expect(partners.now.calls[.reserve] == 4 && partners.now.calls[.release] == 12)
    #expect(shop.orders.counts.stuck == 1 && shop.orders.inFlight.isEmpty)
  }

  @Test("A cancelled order is undone")
  func cancelled() async throws {
    let (shop, partners) = try simulation.shop()
    let id = try shop.place(.lamps).id
    await simulation.clock.advance(by: .milliseconds(250))
    shop.cancel(id)
    #expect(shop.orders.state[id]?.stage == .undoing, "it stays open until it is undone")
    #expect(shop.orders.open[id] != nil)
    await simulation.clock.advance(by: .seconds(1))
    #expect(shop.orders.state[id]?.stage == .undone && shop.orders.state[id]?.reason == "cancelled")
    #expect(partners.now.charged.isEmpty && partners.now.reserved.isEmpty && partners.now.shipped.isEmpty)
  }

  @Test("An order is undone when the client that waits for it leaves")
  func clientGone() async throws {
    let (shop, partners) = try simulation.shop()
    let client = Task { try await shop.fulfil(.lamps) }
    await simulation.clock.advance(by: .milliseconds(150))
    client.cancel()
    await simulation.clock.advance(by: .seconds(1))
    await #expect(throws: CancellationError.self) { try await client.value }
    #expect(shop.orders.counts == OrderBook.Counts(accepted: 1, undone: 1))
    #expect(partners.now.reserved.isEmpty)
  }

  @Test("A client that waits for an order gets the undone order when somebody else cancels it")
  func cancelledByOthers() async throws {
    let (shop, partners) = try simulation.shop()
    partners.fail(.release, with: .refused("warehouse"))
    let client = Task { try await shop.fulfil(.lamps) }
    await simulation.clock.advance(by: .milliseconds(150))
    shop.cancel(1)
    await simulation.clock.advance(by: .seconds(1))
    let order = try await client.value
    #expect(order.stage == .undone && order.reason == "cancelled")
  }

  @Test("An order waits for its turn at a partner, which never gets more calls at once than it takes")
  func limited() async throws {
    var settings = Shop.Settings()
    settings.rules.callsAtOnce = 3
    let (shop, partners) = try simulation.shop(settings: settings)
    for _ in 1...20 { _ = try shop.place(.lamps) }
    await simulation.clock.advance(by: .seconds(10))
    #expect(shop.orders.counts.done == 20)
    #expect(partners.now.mostAtOnce == ["warehouse": 3, "bank": 3, "carrier": 3])
  }

  @Test("The undo calls of an order wait for their turn at a partner")
  func limitedUndo() async throws {
    var settings = Shop.Settings()
    settings.rules.callsAtOnce = 3
    let (shop, partners) = try simulation.shop(settings: settings)
    let ids = try (1...20).map { _ in try shop.place(.lamps).id }
    await simulation.clock.advance(by: .milliseconds(200))
    for id in ids { shop.cancel(id) }
    await simulation.clock.advance(by: .seconds(20))
    #expect(shop.orders.counts.undone == 20 && partners.now.reserved.isEmpty)
    #expect((partners.now.calls[.release] ?? 0) >= 20)
    #expect(partners.now.mostAtOnce.values.allSatisfy { $0 <= 3 })
  }

  @Test("A client that waits gets the finished order even if no closed orders are kept")
  func answer() async throws {
    var settings = Shop.Settings()
    settings.memory = 0
    let (shop, _) = try simulation.shop(settings: settings)
    let clients = (1...3).map { _ in Task { try await shop.fulfil(.lamps) } }
    await simulation.clock.advance(by: .seconds(1))
    for client in clients { #expect(try await client.value.stage == .done) }
    #expect(shop.orders.closed.isEmpty)
  }

  @Test("The shop refuses an order as busy when too many are open, and keeps no trace of it")
  func busy() async throws {
    var settings = Shop.Settings()
    settings.ordersAtOnce = 2
    let (shop, _) = try simulation.shop(settings: settings)
    for _ in 1...2 { _ = try shop.place(.lamps) }
    let error = #expect(throws: StoreServiceError.self) { try shop.place(.lamps) }
    #expect(error?.code == .busy)
    #expect(shop.orders.counts.accepted == 2)
    await simulation.clock.advance(by: .seconds(1))
    _ = try shop.place(.lamps)
  }

  @Test("The board shows an order within a tenth of a second")
  func board() async throws {
    let (shop, _) = try simulation.shop()
    for _ in 1...3 { _ = try shop.place(.lamps) }
    await simulation.clock.advance(by: .milliseconds(100))
    #expect(shop.board.orders.counts.accepted == 3)
    await simulation.clock.advance(by: .seconds(1))
    #expect(shop.board.orders == shop.orders.state)
    #expect(shop.board.till == shop.till.state && shop.board.stock == shop.stock.state)
    #expect(shop.board.event.json.contains(#""done":3"#))
  }

  @Test("The board repeats its event at each heartbeat, so that closed pages are noticed")
  func heartbeat() async throws {
    let (shop, _) = try simulation.shop()
    await simulation.clock.advance(by: .seconds(1))
    let number = shop.board.event.number
    await simulation.clock.advance(by: BoardStore.heartbeat * 4)
    #expect(shop.board.event.number == number + 4)
  }
}
