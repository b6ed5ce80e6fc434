import AsyncHTTPClient
import Foundation
import NIOCore
import ServiceLifecycle
import Synchronization

/// A client that orders for a while, over real connections.
final class Demo: Service {
  /// The error of a demonstration that does not account for its orders, or was told nothing of them.
  struct Loss: Error, CustomStringConvertible {
    let description = "The demonstration has lost orders or events."
  }

  private struct Tally {
    var answers: [UInt: Int] = [:]
    var latencies: [Duration] = []
    var events = 0
  }

  private let seconds: Int
  private let ports: AsyncStream<Int>
  private let tally = Mutex(Tally())

  init(seconds: Int, ports: AsyncStream<Int>) {
    self.seconds = seconds
    self.ports = ports
  }

  func run() async throws {
    // A server that can't listen shuts the others down, and never tells its port.
    let port = await cancelWhenGracefulShutdown { await self.ports.first { _ in true } }
    guard let port else { return }
    let shop = "http://127.0.0.1:\(port)"
    await withTaskGroup { group in
      let end = ContinuousClock.now.advanced(by: .seconds(seconds))
      // One of them waits for its orders, the others don't.
      for number in 0..<8 {
        group.addTask { await self.order(from: shop, until: end, query: number == 0 ? "?wait=true" : "") }
      }
      let watching = Task { try await self.watch(shop) }
      await group.waitForAll()
      watching.cancel()
    }
  }

  /// Checks that orders were accepted, that each of them has ended, and that the page was told.
  ///
  /// - Throws: ``Loss``.
  func check(_ book: OrderBook) throws {
    let (counts, events) = (book.counts, tally.withLock(\.events))
    guard counts.accepted > 0, events > 0, book.open.isEmpty,
      counts.accepted == counts.done + counts.undone + counts.stuck
    else { throw Loss() }
  }

  /// The service's answer, in one line.
  var summary: String {
    tally.withLock { tally in
      let sorted = tally.latencies.sorted()
      func percentile(_ part: Double) -> String {
        guard !sorted.isEmpty else { return "-" }
        let milliseconds = sorted[Int(Double(sorted.count - 1) * part)] / .milliseconds(1)
        return "\(milliseconds.formatted(.number.precision(.fractionLength(1)))) ms"
      }
      let answers = tally.answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      return """
        \(sorted.count) requests: \(answers); half within \(percentile(0.5)), 99 % within \(percentile(0.99)); \
        \(tally.events) events
        """
    }
  }

  private func order(from shop: String, until end: ContinuousClock.Instant, query: String) async {
    let items = Catalog.items
    while ContinuousClock.now < end, !Task.isShuttingDownGracefully {
      let item = items.randomElement() ?? "lamp"
      let begun = ContinuousClock.now
      var request = HTTPClientRequest(url: "\(shop)/orders\(query)")
      request.method = .POST
      request.body = .bytes(ByteBuffer(string: #"{"item": "\#(item)", "quantity": \#(Int.random(in: 1...5))}"#))
      let status = try? await HTTPClient.shared.execute(request, timeout: .seconds(30)).status.code
      let latency = begun.duration(to: .now)
      tally.withLock { tally in
        tally.answers[status ?? 0, default: 0] += 1
        tally.latencies.append(latency)
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func watch(_ shop: String) async throws {
    let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: "\(shop)/events"), timeout: .hours(1))
    for try await _ in response.body { tally.withLock { $0.events += 1 } }
  }
}
