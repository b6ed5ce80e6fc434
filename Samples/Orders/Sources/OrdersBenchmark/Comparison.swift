import Foundation
import Hummingbird
import Logging

/// The throughput and the latency of a server under load.
struct Load {
  let requestsPerSecond: Double
  let p99: Duration
  let failures: Int

  /// Loads a server by wrk.
  static func measure(port: Int, path: String, seconds: Int, connections: Int) throws -> Load {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/wrk")
    process.arguments = ["-t1", "-c\(connections)", "-d\(seconds)", "--latency", "http://127.0.0.1:\(port)\(path)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let rate = text.firstMatch(of: /Requests\/sec:\s+([\d.]+)/).flatMap({ Double($0.1) }),
      let p99 = text.firstMatch(of: /99%\s+([\d.]+)(us|ms|s)/), let value = Double(p99.1)
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: text]) }
    let failures = text.firstMatch(of: /Non-2xx or 3xx responses: (\d+)/).flatMap { Int($0.1) } ?? 0
    let unit: Duration = p99.2 == "us" ? .microseconds(1) : p99.2 == "ms" ? .milliseconds(1) : .seconds(1)
    return Load(requestsPerSecond: rate, p99: unit * value, failures: failures)
  }
}

/// Several contenders behind servers of their own in one process, loaded in turns.
struct Comparison {
  let title: String
  let contenders: [Contender]
  let rounds: Int
  let seconds: Int
  let connections: Int

  /// Measures all, and prints a table; the first contender is the measure.
  func run(firstPort: Int) async throws {
    let servers = contenders.enumerated().map { index, contender in
      Task { try await serve(contender, port: firstPort + index) }
    }
    try await Task.sleep(for: .milliseconds(500))
    var loads: [[Load]] = contenders.map { _ in [] }
    for round in 0...rounds {
      for index in contenders.indices {
        let load = try Load.measure(
          port: firstPort + index, path: "/", seconds: round == 0 ? 1 : seconds, connections: connections)
        // The first round warms up.
        if round > 0 { loads[index].append(load) }
      }
    }
    for server in servers { server.cancel() }
    print(title)
    let reference = (rate(loads[0]), p99(loads[0]))
    for (contender, loads) in zip(contenders, loads) {
      let (rate, p99) = (rate(loads), p99(loads))
      let failures = loads.reduce(0) { $0 + $1.failures }
      print(
        "  \(contender.name): \(Int(rate)) a second (\(ratio(rate, reference.0))), "
          + "p99 \(p99 / .milliseconds(1)) ms (\(ratio(p99 / .seconds(1), reference.1 / .seconds(1))))"
          + (failures > 0 ? ", \(failures) FAILED" : ""))
    }
  }

  private func rate(_ loads: [Load]) -> Double { loads.map(\.requestsPerSecond).sorted()[loads.count / 2] }
  private func p99(_ loads: [Load]) -> Duration { loads.map(\.p99).sorted()[loads.count / 2] }
  private func ratio(_ value: Double, _ reference: Double) -> String { String(format: "%.2f", value / reference) }

  private func serve(_ contender: Contender, port: Int) async throws {
    let router = Router()
    let numbers = Numbers()
    router.get("/") { _, _ in
      try await contender.handle(numbers.next())
      return "done"
    }
    var logger = Logger(label: contender.name)
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      logger: logger)
    try await application.run()
  }
}
