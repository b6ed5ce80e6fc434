import AsyncStorePersistence
import AsyncStoreServices
import AsyncStoreTesting
import Foundation
import Testing

@testable import Orders

@Suite("A shop that is shut down")
struct ShutdownTests {
  private func simulation() throws -> Simulation { try #require(Simulation.current) }

  private func newFolder() throws -> URL {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test("A shop that shuts down finishes its open orders and takes no others", .simulated(atEnd: .cancels))
  func drains() async throws {
    let simulation = try simulation()
    let (shop, _) = try simulation.shop()
    for _ in 1...10 { _ = try shop.place(.lamps) }
    let stopping = Task { try await shop.service.shutdown() }
    try await simulation.clock.sleep(for: .milliseconds(10))
    let error = #expect(throws: StoreServiceError.self) { try shop.place(.lamps) }
    #expect(error?.code == .unavailable)
    _ = try await stopping.value
    #expect(shop.orders.counts == OrderBook.Counts(accepted: 10, done: 10))
    #expect(shop.board.orders.counts == shop.orders.counts, "the board has seen the last of it")
  }

  @Test("A shop that shuts down undoes the orders that would take too long", .simulated(atEnd: .cancels))
  func cancels() async throws {
    let simulation = try simulation()
    var settings = Shop.Settings()
    settings.drain = .milliseconds(300)
    settings.rules.callsAtOnce = 4
    let (shop, partners) = try simulation.shop(settings: settings)
    for _ in 1...10 { _ = try shop.place(.lamps) }
    try await shop.service.shutdown()
    let counts = shop.orders.counts
    #expect(counts.done > 0 && counts.undone > 0 && counts.done + counts.undone == 10)
    #expect(partners.now.shipped.count == counts.done)
  }

  /// Each order is done or undone, here and at the partners, whatever goes wrong and whenever the shop is shut down.
  @Test(
    "A shutdown loses no order and leaves none half done, under any schedule", .explored(.seeds(150), atEnd: .cancels))
  func nothingLost() async throws {
    let simulation = try simulation()
    var settings = Shop.Settings()
    settings.drain = simulation.random.next(in: .zero ... .seconds(2))
    settings.cleanup = .seconds(60)
    settings.rules.callsAtOnce = simulation.random.next(in: 1...8)
    settings.rules.undoing = .constant(.milliseconds(10))
    let (shop, partners) = try simulation.shop(
      latency: .milliseconds(1) ... .milliseconds(120), failures: 0.15, hangs: 0.02, settings: settings)
    var accepted: [Int] = []
    for _ in 1...simulation.random.next(in: 1...8) {
      accepted.append(try shop.place(OrderDraft(item: "chair", quantity: 1)).id)
      try await simulation.clock.sleep(for: simulation.random.next(in: .zero ... .milliseconds(100)))
      if simulation.random.happens(withProbability: 0.2) { shop.cancel(accepted[0]) }
    }
    try await shop.service.shutdown()

    let book = shop.orders.state
    let done = Set(accepted.filter { book[$0]?.stage == .done })
    #expect(book.counts.accepted == accepted.count && book.open.isEmpty)
    #expect(book.counts.done + book.counts.undone == accepted.count)
    #expect(partners.now.shipped == done && partners.now.charged == done && partners.now.reserved == done)
    #expect(shop.till.balance == book.revenue && book.revenue == done.count * 12_900)
    #expect(shop.stock.items["chair"] == Shop.Settings().stock - done.count)
  }

  @Test("A shop continues with its open orders after a hard stop", .simulated(atEnd: .cancels))
  func restarted() async throws {
    let simulation = try simulation()
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = FileStorage(folder.appending(path: "orders.state"))

    let (first, _) = try simulation.shop(storage: file)
    let done = try first.place(.lamps).id
    try await simulation.clock.sleep(for: .seconds(1))
    let open = try first.place(.lamps).id
    try await simulation.clock.sleep(for: .milliseconds(150))
    first.orders.deactivate()
    #expect(first.orders.state[done]?.stage == .done && first.orders.state[open]?.stage == .charging)

    let (second, partners) = try simulation.shop(storage: file)
    #expect(second.stock.items["lamp"] == Shop.Settings().stock - 2)
    #expect(second.orders.counts == OrderBook.Counts(accepted: 2, done: 1))
    #expect(try second.place(.lamps).id > open)
    try await second.service.shutdown()
    #expect(second.orders.counts == OrderBook.Counts(accepted: 3, done: 3))
    #expect(partners.now.shipped.contains(open) && second.till.balance == second.orders.revenue)
  }

  @Test("A shop undoes all steps of an order that is cancelled after a hard stop", .simulated(atEnd: .cancels))
  func givenUpAfterRestart() async throws {
    let simulation = try simulation()
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = FileStorage(folder.appending(path: "orders.state"))

    let (first, firstPartners) = try simulation.shop(storage: file)
    let id = try first.place(.lamps).id
    try await simulation.clock.sleep(for: .milliseconds(250))
    first.orders.deactivate()
    #expect(firstPartners.now.charged == [id])

    let (second, partners) = try simulation.shop(storage: file)
    try await simulation.clock.sleep(for: .milliseconds(10))
    #expect(partners.now.calls == [.reserve: 1])
    second.cancel(id)
    try await second.service.shutdown()
    #expect(second.orders.counts == OrderBook.Counts(accepted: 1, undone: 1))
    #expect(partners.now.calls == [.reserve: 1, .recall: 1, .refund: 1, .release: 1])
  }

  @Test("A shop continues undoing an order after a hard stop, and fulfils none of it", .simulated(atEnd: .cancels))
  func restartedWhileUndoing() async throws {
    let simulation = try simulation()
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = FileStorage(folder.appending(path: "orders.state"))

    let (first, firstPartners) = try simulation.shop(storage: file)
    let cancelled = try first.place(.lamps).id
    try await simulation.clock.sleep(for: .milliseconds(250))
    firstPartners.fail(.recall, with: .unavailable("carrier"), .unavailable("carrier"), .unavailable("carrier"))
    first.cancel(cancelled)
    try await simulation.clock.sleep(for: .milliseconds(1))
    first.orders.deactivate()
    #expect(first.orders.open[cancelled]?.stage == .undoing)

    let (second, partners) = try simulation.shop(storage: file)
    try await simulation.clock.sleep(for: .milliseconds(1))
    second.cancel(cancelled)
    try await second.service.shutdown()
    #expect(second.orders.counts == OrderBook.Counts(accepted: 1, undone: 1))
    #expect(second.orders.state[cancelled]?.reason == "cancelled")
    #expect(partners.now.calls == [.recall: 1, .refund: 1, .release: 1])
    #expect(second.till.balance == 0 && second.stock.items["lamp"] == Shop.Settings().stock)
  }

  @Test("A killed shop loses at most the last second, and reuses no order number", .simulated(atEnd: .cancels))
  func killed() async throws {
    let simulation = try simulation()
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["orders.state", "copy.state"].map { folder.appending(path: $0) }

    let (shop, _) = try simulation.shop(storage: FileStorage(files[0]))
    let id = try shop.place(.lamps).id
    try await simulation.clock.sleep(for: .milliseconds(1_200))
    #expect(shop.orders.state[id]?.stage == .done)
    try FileManager.default.copyItem(at: files[0], to: files[1])
    let lost = try shop.place(.lamps).id
    let (next, _) = try simulation.shop(storage: FileStorage(files[1]))
    #expect(try next.place(.lamps).id > lost, "partners know the lost order by its number")
    #expect(next.orders.state[id]?.stage == .done && next.till.balance == shop.till.balance)
  }
}
