import ArgumentParser
import AsyncStore
import Synchronization

/// Compares stores with hand-written actors, behind the same server, in one process and in turns.
@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orders-benchmark", abstract: "Compares stores with actors behind an HTTP server; needs wrk.")

  @Option(help: "The rounds; the median counts.")
  var rounds = 5
  @Option(help: "The length of a round in seconds.")
  var seconds = 3
  @Option(help: "The connections.")
  var connections = 32
  @Option(help: "The first of the ports.")
  var port = 8_300

  func run() async throws {
    try await comparison("One commit a request", commits).run(firstPort: port)
    try await comparison("An order of three steps; partners answer at once", orders(.zero)).run(firstPort: port + 10)
    try await comparison("An order of three steps; partners take 1 ms", orders(.milliseconds(1)))
      .run(firstPort: port + 20)
  }

  private func comparison(_ title: String, _ contenders: [Contender]) -> Comparison {
    Comparison(title: title, contenders: contenders, rounds: rounds, seconds: seconds, connections: connections)
  }

  private var commits: [Contender] {
    let shop = ActorShop(Partner(latency: .zero))
    let store = Shop(state: Book(), env: Partner(latency: .zero))
    return [
      Contender(name: "actor") { _ in await shop.count() },
      Contender(name: "store, receive") { _ in store.receive(.set { $0.done += 1 }) },
      Contender(name: "store, run") { _ in await store.run(.set { $0.done += 1 }) },
    ]
  }

  private func orders(_ latency: Duration) -> [Contender] {
    let partner = Partner(latency: latency)
    let shop = ActorShop(partner)
    let store = Shop(state: Book(), env: partner)
    return [
      Contender(name: "actor, without any of it") { try await shop.fulfil($0) },
      Contender(name: "store, with retry, time limit and undo") { await store.run(.fulfil($0)) },
    ]
  }
}

/// Numbers of orders.
final class Numbers: Sendable {
  private let last = Atomic<Int>(0)

  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
