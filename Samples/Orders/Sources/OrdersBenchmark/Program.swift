import ArgumentParser
import Orders

/// Measures stores in a service.
@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orders-benchmark", abstract: "Measures stores in a service, and compares them with actors.",
    discussion: """
      Without a subcommand it measures all, and says which bars are met; that takes about a quarter of an hour, needs \
      wrk, and a machine that does nothing else.
      """,
    subcommands: [All.self, Compare.self, Fulfil.self, Readers.self, OrdersCommand.self], defaultSubcommand: All.self)
}

/// Measures all, one after the other.
struct All: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measures all, and says which bars are met; needs wrk.")

  @OptionGroup var fulfil: Fulfil
  @OptionGroup var compare: Compare
  @OptionGroup var readers: Readers

  func run() async throws {
    // First, in a process that has done nothing else yet.
    try await fulfil.run()
    try await readers.run()
    try await compare.run()
    let (words, areMet) = Bars.all.summary
    print(words)
    if !areMet { throw ExitCode.failure }
  }
}

/// Compares stores with hand-written actors, behind the same server, in one process and in turns; needs wrk.
struct Compare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares stores with actors behind an HTTP server; needs wrk.")

  @Option(help: "The rounds; the median counts.")
  var rounds = 7
  @Option(help: "The length of a round in seconds.")
  var seconds = 5
  // With few connections a fast server's threads sleep between requests, and a tenth of the processors' time is idle:
  // that is no throughput.
  @Option(help: "The connections.")
  var connections = 128
  @Option(help: "A regular expression for the names of the contenders; the first of them is the measure.")
  var only = ""

  func run() async throws {
    try await compare("One commit a request", Contender.commits)
    try await compare("An order of three steps; partners answer at once", Contender.orders(.zero))
    try await compare("An order of three steps; partners take 1 ms", Contender.orders(.milliseconds(1)))
    try await compare("The same store with instruments; partners answer at once", Contender.instruments)
    try await compare("An actor, and instruments by hand; partners answer at once", Contender.byHand)
  }

  private func compare(_ title: String, _ contenders: [Contender]) async throws {
    let chosen = try contenders.filter { try $0.name.contains(Regex(only)) }
    if chosen.isEmpty { return }
    try await Comparison(
      title: title, contenders: chosen, rounds: rounds, seconds: seconds, connections: connections
    ).run()
  }
}

/// Fulfils orders without a server, for a profile, and to see that memory does not grow with them.
struct Fulfil: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Fulfils orders without a server.")

  @Option(help: "The number of orders.")
  var count = 1_000_000
  @Option(help: "Orders at once.")
  var atOnce = 32
  @Flag(help: "By an actor, without retries, limits in time and undo.")
  var actor = false
  @Flag(help: "By an actor with spans by hand.")
  var spansByHand = false
  @Option(help: "The instruments: 1 for the log, 2 for metrics, 3 for spans, 4 for all.")
  var instruments = 0

  func validate() throws {
    guard (0...4).contains(instruments) else { throw ValidationError("--instruments has to be 0 to 4.") }
    guard [actor, spansByHand, instruments > 0].count(where: \.self) <= 1 else {
      throw ValidationError("--actor, --spans-by-hand and --instruments exclude each other.")
    }
    guard atOnce > 0, count / 10 / atOnce > 0 else {
      throw ValidationError("--count has to be ten times --at-once or more, and that 1 or more.")
    }
  }

  func run() async throws {
    let contender =
      if spansByHand {
        Contender.byHand[1]
      } else if actor {
        Contender.orders(.zero)[0]
      } else {
        Contender.instruments[instruments]
      }
    let (clock, numbers) = (ContinuousClock(), Numbers())
    let begun = clock.now
    var memory: [Int] = []
    for _ in 1...10 {
      try await withThrowingTaskGroup { group in
        for _ in 0..<atOnce {
          group.addTask { for _ in 0..<(count / 10 / atOnce) { try await contender.handle(numbers.next()) } }
        }
        try await group.waitForAll()
      }
      memory.append(try residentMegabytes())
    }
    let each = begun.duration(to: clock.now) / (count / 10 / atOnce * atOnce * 10)
    print("\(count) orders without a server")
    print(
      "  \(contender.name): \(each) an order; after each tenth "
        + "\(memory.map(String.init).joined(separator: ", ")) MB; "
        + Bars.all.note("flat from the first tenth on", isMet: memory[9] <= memory[0] + 2))
  }
}
