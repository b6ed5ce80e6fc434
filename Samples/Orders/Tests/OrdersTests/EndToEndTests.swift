import AsyncHTTPClient
import AsyncStorePersistence
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Orders

/// The program itself, in a process of its own, over real connections.
@Suite("The program", .serialized)
struct EndToEndTests {
  /// The number of times that the program is ended under load; more of them nightly.
  static let rounds = ProcessInfo.processInfo.environment["ASYNCSTORE_NIGHTLY"] == nil ? 3 : 50

  /// Returns a store with the orders of a file, which has no partners.
  private func openBook(in file: URL) throws -> OrderStore {
    let store = OrderStore(
      state: OrderBook(),
      env: Fulfilment(
        partners: Partners { _, _ in }, stock: StockStore(state: Stock(0), env: ()),
        till: TillStore(state: Till(), env: ())))
    try store.persist(\.self, in: FileStorage(file), saving: .onDemand)
    return store
  }

  @Test("The program ends with an error if its port is taken, but completes its open orders first")
  func portTaken() async throws {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "orders.state")
    let before = try openBook(in: file)
    before.update { book in
      for id in 1...20 { book.accept(Order(id: id, OrderDraft(item: "lamp", quantity: 1))) }
    }
    before.deactivate()

    let first = try Program("--port", "0", "--no-file")
    defer { first.terminate() }
    let port = try #require(URL(string: try await first.address)?.port)
    let (status, output) = try await Program("--port", "\(port)", "--file", file.path).end()
    #expect(status != 0, "\(output)")
    let after = try openBook(in: file)
    #expect(after.open.isEmpty && after.counts.done >= 10, "\(after.counts)")
    after.deactivate()
  }

  @Test("The program ends with an error if its demonstration can't listen on its address")
  func demoWithoutAddress() async throws {
    // An address that no machine has: it is kept for documentation.
    let (status, output) = try await Program("--demo", "30", "--host", "203.0.113.1").end()
    #expect(status != 0, "\(output)")
  }

  @Test("The program does or undoes every accepted order before it ends at a SIGTERM under load", arguments: 1...rounds)
  func terminated(round: Int) async throws {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "orders.state")
    let program = try Program("--port", "0", "--file", file.path, "--keep", "100000")
    let shop = try await program.address

    // One that never reads, and some that leave before their orders are done.
    let reader = try await ReluctantClient(port: try #require(URL(string: shop)?.port))
    try await reader.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    let leaving = Task {
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await leave(shop) } }
      }
    }
    let promises = Promises()
    let load = Task {
      await withTaskGroup { group in
        for _ in 0..<16 { group.addTask { await order(from: shop, promises) } }
      }
      promises.end()
    }
    // Each round ends at another moment, once it is at work, or if it has stopped by itself.
    _ = await promises.counts.first { $0 >= 20 * round }
    program.terminate()
    // Told once more when the server has ended, and the stores drain.
    for await _ in promises.counts {}
    program.terminate()
    let (status, output) = try await program.end()
    leaving.cancel()
    await load.value
    await leaving.value
    try? await reader.close()

    #expect(status == 0, "\(output)")
    let book = try openBook(in: file).state
    #expect(book.open.isEmpty && book.counts.stuck == 0, "\(book.closed.filter { $0.stage == .stuck })")
    #expect(book.counts.accepted == book.counts.done + book.counts.undone)
    #expect(promises.all.filter { book[$0] == nil } == [], "each order that a client was promised is known")
    #expect(output.contains("\(book.counts.accepted) accepted"))
  }

  private func order(from shop: String, _ promises: Promises) async {
    var request = HTTPClientRequest(url: "\(shop)/orders")
    request.method = .POST
    request.body = .bytes(ByteBuffer(string: #"{"item": "lamp", "quantity": 1}"#))
    while !Task.isCancelled {
      // It fails once the program takes no connections any more.
      guard let response = try? await HTTPClient.shared.execute(request, timeout: .seconds(30)),
        let body = try? await response.body.collect(upTo: 4_096)
      else { return }
      if response.status == .accepted,
        let order = try? JSONDecoder().decode(Order.self, from: Data(body.readableBytesView))
      {
        promises.add(order.id)
      }
    }
  }

  /// Waits for orders, and not long enough.
  private func leave(_ shop: String) async {
    var request = HTTPClientRequest(url: "\(shop)/orders?wait=true")
    request.method = .POST
    request.body = .bytes(ByteBuffer(string: #"{"item": "chair", "quantity": 1}"#))
    while !Task.isCancelled { _ = try? await HTTPClient.shared.execute(request, timeout: .milliseconds(50)) }
  }

  @Test("A second program refuses to start on a file that is in use")
  func secondProgram() async throws {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "orders.state").path
    let first = try Program("--port", "0", "--file", file)
    _ = try await first.address
    let (status, output) = try await Program("--port", "0", "--file", file).end()
    #expect(status != 0 && output.contains("is in use by"), "\(output)")
    first.terminate()
    #expect(try await first.end().status == 0)
  }

  @Test("The program ends with an error if its orders can't be saved")
  func notSaved() async throws {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program("--port", "0", "--file", folder.appending(path: "orders.state").path)
    var request = HTTPClientRequest(url: "\(try await program.address)/orders?wait=true")
    request.method = .POST
    request.body = .bytes(ByteBuffer(string: #"{"item": "lamp", "quantity": 1}"#))
    // A file in the folder's place, which not even root can write below.
    try FileManager.default.removeItem(at: folder)
    try Data().write(to: folder)
    _ = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    program.terminate()
    let (status, output) = try await program.end()
    #expect(status != 0 && output.contains("can't be"), "\(output)")
    #expect(output.contains("1 accepted"))
  }

  @Test("The program's metrics have series of its stores")
  func metrics() async throws {
    let program = try Program("--port", "0", "--no-file", "--instant")
    defer { program.terminate() }
    let shop = try await program.address
    var order = HTTPClientRequest(url: "\(shop)/orders?wait=true")
    order.method = .POST
    order.body = .bytes(ByteBuffer(string: #"{"item": "lamp", "quantity": 1}"#))
    // The server ends a connection whose client it has watched, and the next request would find it closing.
    order.headers.add(name: "connection", value: "close")
    #expect(try await HTTPClient.shared.execute(order, timeout: .seconds(30)).status == .ok)
    let page = try await HTTPClient.shared.execute(HTTPClientRequest(url: "\(shop)/metrics"), timeout: .seconds(30))
    let text = String(buffer: try await page.body.collect(upTo: 1 << 20))
    let commits = try #require(
      text.firstMatch(of: /asyncstore_commits\{store="orders"\} (\d+)\.0\n/).flatMap { Int($0.1) })
    #expect(commits >= 4)
    #expect(text.contains(#"asyncstore_effects_duration_seconds_count{kind="task",label="charge""#), "\(text)")
    program.terminate()
    #expect(try await program.end().status == 0)
  }

  /// A trace as a viewer reads it.
  private struct Trace: Decodable {
    struct Event: Decodable { let name: String }
    let traceEvents: [Event]
  }

  @Test("The program writes what happened to its orders as a trace")
  func trace() async throws {
    let folder = URL.temporaryDirectory.appending(path: "Orders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, lines) = (folder.appending(path: "orders.json"), folder.appending(path: "orders.jsonl"))
    for url in [file, lines] {
      let (status, output) = try await Program("--demo", "1", "--trace", url.path).end()
      #expect(status == 0, "\(output)")
    }
    let names = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: file)).traceEvents.map(\.name)
    #expect(Set(names).isSuperset(of: ["reserve", "charge", "ship"]))
    #expect(try String(contentsOf: lines, encoding: .utf8).contains(#""label":"ship""#))
  }

  @Test("The demonstration accounts for every order that it accepts")
  func demonstration() async throws {
    let (status, output) = try await Program("--demo", "1").end()
    #expect(status == 0)
    let accepted = try #require(
      output.firstMatch(of: /(\d+) accepted = (\d+) done \+ (\d+) undone \+ (\d+) stuck \+ 0 open/))
    let numbers = [accepted.1, accepted.2, accepted.3, accepted.4].compactMap { Int($0) }
    #expect(numbers[0] > 0 && numbers[0] == numbers[1...].reduce(0, +))
  }
}

/// The orders that clients were told are accepted.
private final class Promises: Sendable {
  /// Their number, whenever there is one more.
  let counts: AsyncStream<Int>

  private let counting: AsyncStream<Int>.Continuation
  private let numbers = Mutex<Set<Int>>([])

  init() { (counts, counting) = AsyncStream.makeStream() }

  var all: Set<Int> { numbers.withLock { $0 } }

  /// Ends the counts: there will be no more.
  func end() { counting.finish() }

  func add(_ number: Int) {
    counting.yield(
      numbers.withLock { numbers in
        numbers.insert(number)
        return numbers.count
      })
  }
}
