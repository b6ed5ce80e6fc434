import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("The trace of a failure")
struct TraceTests {
  private struct File: Decodable {
    struct Event: Decodable {
      struct Arguments: Decodable {
        let name: String?
        let note: String?
      }

      let ph: String
      let name: String
      let pid: Int
      let tid: Int?
      let ts: Int?
      let id: Int?
      let args: Arguments
    }

    let traceEvents: [Event]
  }

  @Test("A failure's trace beside the kept schedule has lanes for tasks, effects and network, and marks the switch")
  func lanes() async throws {
    let events = try await trace { simulation in
      let order = Note<[String]>()
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.seconds(1)), .log("\"quoted\"\\\n")).id("sleeper"))
      let network = SimulatedNetwork<Int>()
      network.host("a").send(1, to: network.host("b").name)
      await withTaskGroup { group in
        for name in ["a", "b"] { group.addTask { order.add(name) } }
      }
      await Task { @MainActor in order.add("main") }.value
      await simulation.clock.advance(by: .seconds(1))
      if order.value.first == "b" { throw Failure("b was the first") }
    }
    let lanes = events.filter { $0.name == "thread_name" }.compactMap(\.args.name)
    #expect(lanes.contains("the body"))
    #expect(lanes.contains("task 1"))
    #expect(lanes.contains("main actor"))
    #expect(lanes.contains("network"))
    #expect(lanes.contains("Journal 1"))
    let switches = events.filter { $0.ph == "i" && $0.name.hasPrefix("switch: job ") }
    #expect(switches.count == 1)
    let jobs = events.filter { $0.ph == "X" }
    #expect(jobs.contains { $0.ts == switches.first?.ts && $0.tid == switches.first?.tid })
    #expect(jobs.compactMap(\.ts) == jobs.indices.map { ($0 + 1) * 100 })
    let spans = events.filter { $0.name.contains("[sleeper] sleep") }
    #expect(spans.map(\.ph) == ["b", "e"])
    #expect(Set(spans.map(\.id)).count == 1)
    #expect(spans.last?.args.note == "time: 1.0 seconds, finished")
    #expect(events.contains { $0.name == "a to b: 1, delivered" })
  }

  @Test("A failure's trace marks a fault within the job that had it")
  func faults() async throws {
    let events = try await trace { simulation in
      if simulation.happens(withProbability: 0.5) { throw Failure("happened") }
    }
    let fault = try #require(events.first { $0.name == "fault: outcome 2 of 2" })
    let job = try #require(events.last { $0.ph == "X" })
    #expect(fault.tid == job.tid)
    #expect(fault.ts == job.ts.map { $0 + 1 })
  }

  /// The events of the file that an exploration keeps.
  private func trace(_ body: @escaping @Sendable (Simulation) async throws -> Void) async throws -> [File.Event] {
    let folder = try TemporaryFolder()
    var explorer = Explorer(exploration: .seeds(100))
    explorer.site = ExplorationSite(filePath: folder.path + "/OrderTests.swift", line: 7, function: "order()")
    explorer.environment.keepsSchedules = true
    let keeping = explorer
    await #expect(throws: SimulationFailure.self) { try await keeping.explore { run in run(body) } }
    let names = try folder.names
    let test = Test.current.map { String($0.name.prefix { $0 != "(" }) } ?? ""
    #expect(names == ["OrderTests.\(test).trace.json", "OrderTests.schedules"])
    let data = try Data(contentsOf: folder.url.appendingPathComponent(names[0]))
    return try JSONDecoder().decode(File.self, from: data).traceEvents
  }
}
