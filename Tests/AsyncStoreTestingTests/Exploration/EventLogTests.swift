import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("The log of events")
struct EventLogTests {
  @Test("The log of events names the stores if there are several, and has the choices of the body")
  func severalStores() async throws {
    let lines = try await reportLines { simulation in
      let stores = ["alpha", nil].map { simulation.store(Journal(), env: (), name: $0) }
      for store in stores { store.receive(.log("first")) }
      let isBroken = simulation.happens(withProbability: 0.5)
      let letter = simulation.choose(among: ["a", "b", "c"])
      if isBroken, letter == "b" { throw Failure("broken") }
    }
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("0.0 seconds: alpha: committed "))
    #expect(lines[1].hasPrefix("0.0 seconds: Journal 2: committed "))
    #expect(lines[2...] == ["0.0 seconds: happens(withProbability: 0.5) is true", "0.0 seconds: chosen: value 2 of 3"])
  }

  @Test("The log of events has its last 60 lines, however many there were")
  func lastLines() {
    let log = EventLog()
    for number in 1...300 {
      log.add(choice: "\(number)", at: TestClock.Instant())
      #expect(log.lines.count == min(number, 60))
      #expect(log.lines.last?.hasSuffix(": \(number)") == true)
    }
  }

  @Test("The log of events names the stores even if several have the same name")
  func sameName() async throws {
    let lines = try await reportLines { simulation in
      for _ in 0..<2 { simulation.store(Journal(), env: (), name: "alpha").receive(.log("first")) }
      throw Failure("broken")
    }
    try #require(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("0.0 seconds: alpha: committed ") })
  }

  @Test("The log of events leaves out the name of a single store")
  func oneStore() async throws {
    let lines = try await reportLines { simulation in
      simulation.store(Journal(), env: (), name: "alpha").receive(.log("first"))
      throw Failure("broken")
    }
    try #require(lines.count == 1)
    #expect(lines[0].hasPrefix("0.0 seconds: committed "))
  }

  /// Returns what the report of an exploration tells of the stores.
  private func reportLines(_ body: @escaping @Sendable (Simulation) async throws -> Void) async throws -> [String] {
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(100), body) })
    let lines = failure.description.split(separator: "\n").drop { $0 != "What the stores did:" }.dropFirst()
    return lines.prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
  }
}
