import Foundation
import Hummingbird
import Logging

/// The throughput and the latency of a server under load.
struct Load {
  let requestsPerSecond: Double
  let p99: Duration
  let failures: Int

  /// Loads a server by wrk.
  ///
  /// It waits on a thread of its own: on one of Swift's, it would leave the server in this process one thread fewer.
  static func measure(
    port: Int, path: String, seconds: Int, connections: Int, script: String? = nil
  ) async throws -> Load {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let load = Result { try run(port, path, seconds, connections, script) }
        continuation.resume(with: load)
      }
    }
  }

  private static func run(
    _ port: Int, _ path: String, _ seconds: Int, _ connections: Int, _ script: String?
  ) throws -> Load {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/wrk")
    process.arguments =
      ["-t1", "-c\(connections)", "-d\(seconds)", "--latency"] + (script.map { ["-s", $0] } ?? [])
      + ["http://127.0.0.1:\(port)\(path)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let rate = text.firstMatch(of: /Requests\/sec:\s+([\d.]+)/).flatMap({ Double($0.1) }),
      let p99 = text.firstMatch(of: /99%\s+([\d.]+)(us|ms|s)/), let value = Double(p99.1)
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: text]) }
    // Answers that say no, and requests without an answer.
    let refused = text.firstMatch(of: /Non-2xx or 3xx responses: (\d+)/).flatMap { Int($0.1) } ?? 0
    let errors = text.firstMatch(of: /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/)
    let lost = errors.map { [$0.1, $0.2, $0.3, $0.4].compactMap { Int($0) }.reduce(0, +) } ?? 0
    let unit: Duration = p99.2 == "us" ? .microseconds(1) : p99.2 == "ms" ? .milliseconds(1) : .seconds(1)
    return Load(requestsPerSecond: rate, p99: unit * value, failures: refused + lost)
  }
}

/// Several contenders behind servers of their own in one process, loaded in turns.
struct Comparison {
  let title: String
  let contenders: [Contender]
  let rounds: Int
  let seconds: Int
  let connections: Int

  /// Measures all, and prints a table; the first contender is the measure of the others, round by round.
  func run() async throws {
    var servers: [Task<Void, any Error>] = []
    var ports: [Int] = []
    for contender in contenders {
      let (running, isRunning) = AsyncStream.makeStream(of: Int.self)
      servers.append(Task { try await serve(contender) { isRunning.yield($0) } })
      for await port in running.prefix(1) { ports.append(port) }
    }
    defer { for server in servers { server.cancel() } }
    var loads: [[Load]] = contenders.map { _ in [] }
    for round in 0...rounds {
      // To and fro, so that none of them always follows the same one.
      let turns = round.isMultiple(of: 2) ? Array(contenders.indices) : contenders.indices.reversed()
      for index in turns {
        let load = try await Load.measure(
          port: ports[index], path: "/", seconds: round == 0 ? 1 : seconds, connections: connections)
        // The first round warms up.
        if round > 0 { loads[index].append(load) }
      }
    }
    print(title)
    for (contender, own) in zip(contenders, loads) { print("  " + row(contender, own, beside: loads[0])) }
  }

  private func row(_ contender: Contender, _ loads: [Load], beside reference: [Load]) -> String {
    let rates = Rounds(loads.map(\.requestsPerSecond))
    let tails = Rounds(loads.map { $0.p99 / .milliseconds(1) })
    let throughput = Rounds(zip(loads, reference).map { $0.requestsPerSecond / $1.requestsPerSecond })
    let tail = Rounds(zip(loads, reference).map { $0.p99 / $1.p99 })
    let failures = loads.reduce(0) { $0 + $1.failures }
    var words = [
      "\(contender.name): \(Int(rates.median)) a second, \(throughput.words)",
      "p99 \(Rounds.text(tails.median)) ms, \(tail.words)",
    ]
    if let least = contender.least {
      words.append(Bars.all.note("throughput \(least)", isMet: throughput.median >= least && failures == 0))
    }
    if let longest = contender.longest {
      words.append(Bars.all.note("p99 \(longest)", isMet: tail.median <= longest && failures == 0))
    }
    if failures > 0 { words.append("\(failures) FAILED") }
    return words.joined(separator: "; ")
  }

  private func serve(_ contender: Contender, onRunning: @escaping @Sendable (Int) -> Void) async throws {
    let router = Router()
    let numbers = Numbers()
    router.get("/") { _, _ in
      try await contender.handle(numbers.next())
      return "done"
    }
    var logger = Logger(label: contender.name)
    logger.logLevel = .critical
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  }
}
