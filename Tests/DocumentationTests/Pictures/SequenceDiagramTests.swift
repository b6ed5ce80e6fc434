import AsyncStoreTesting
import Synchronization
import Testing

@Suite("Sequence diagrams")
struct SequenceDiagramTests {
  @Test("The sequence diagram shows the failing run of the guide's election")
  func twoLeaders() async throws {
    let events = try await failingRun()
    let diagram = SequenceDiagram(["a", "leases", "b"], events, phase: ("leads", "resigns")) { message in
      switch message {
      case .request: "request"
      case .grant: "grant"
      }
    }
    try PictureFile("TwoLeaders", of: "AsyncStoreTesting").check { diagram.svg($0) }
  }

  /// The network's events under the schedule that an exploration has found and shrunk.
  private func failingRun() async throws -> [Cluster.Event] {
    let last = Mutex<[Cluster.Event]>([])
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let network = Cluster(.slow)
      defer { last.withLock { $0 = network.events } }
      try await elect(on: network, in: simulation) { _ in .seconds(10) }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(1_000), body) })
    let schedule = try #require(failure.schedule)
    await #expect(throws: SimulationFailure.self) { try await explore(.replay(schedule.description), body) }
    return last.withLock { $0 }
  }
}
