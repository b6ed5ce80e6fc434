import ArgumentParser

/// Measures stores in a service.
@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orders-benchmark", abstract: "Measures stores in a service.",
    subcommands: [Compare.self, Orders.self, Readers.self], defaultSubcommand: Compare.self)
}

/// Compares stores with hand-written actors, behind the same server, in one process and in turns; needs wrk.
struct Compare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares stores with actors behind an HTTP server; needs wrk.")

  @Option(help: "The rounds; the median counts.")
  var rounds = 5
  @Option(help: "The length of a round in seconds.")
  var seconds = 3
  @Option(help: "The connections.")
  var connections = 32
  @Option(help: "The first of the ports.")
  var port = 8_300

  func run() async throws {
    try await comparison("One commit a request", Contender.commits).run(firstPort: port)
    try await comparison("An order of three steps; partners answer at once", Contender.orders(.zero))
      .run(firstPort: port + 10)
    try await comparison("An order of three steps; partners take 1 ms", Contender.orders(.milliseconds(1)))
      .run(firstPort: port + 20)
    try await comparison("The same store with instruments; partners answer at once", Contender.instruments)
      .run(firstPort: port + 30)
  }

  private func comparison(_ title: String, _ contenders: [Contender]) -> Comparison {
    Comparison(title: title, contenders: contenders, rounds: rounds, seconds: seconds, connections: connections)
  }
}

/// Fulfils orders without a server, for a profile, and to see that memory does not grow with them.
struct Orders: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Fulfils orders without a server.")

  @Option(help: "The number of orders.")
  var count = 1_000_000
  @Option(help: "Orders at once.")
  var atOnce = 32
  @Flag(help: "By an actor, without retries, limits in time and undo.")
  var actor = false
  @Option(help: "The instruments: 1 for the log, 2 for metrics, 3 for log, metrics and spans.")
  var instruments = 0

  func run() async throws {
    let contender = actor ? Contender.orders(.zero)[0] : Contender.instruments[instruments]
    let (clock, numbers) = (ContinuousClock(), Numbers())
    let begun = clock.now
    for part in 1...10 {
      try await withThrowingTaskGroup { group in
        for _ in 0..<atOnce {
          group.addTask { for _ in 0..<(count / 10 / atOnce) { try await contender.handle(numbers.next()) } }
        }
        try await group.waitForAll()
      }
      print("\(count / 10 * part) orders, \(residentMegabytes()) MB")
    }
    let each = begun.duration(to: clock.now) / (count / 10 / atOnce * atOnce * 10)
    print("\(contender.name): \(each) an order")
  }
}
