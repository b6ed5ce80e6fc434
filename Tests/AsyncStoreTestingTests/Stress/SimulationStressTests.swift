import AsyncStore
import AsyncStoreTesting
import Foundation
import Testing

@Suite("Simulations on real threads")
struct SimulationStressTests {
  @Test("Simulations on real threads all do the same, while ordinary tasks go their own way")
  func besideEachOther() async throws {
    let outside = Note(0)
    let traces = try await withThrowingTaskGroup(of: [String]?.self) { group in
      for number in 0..<64 {
        group.addTask { try await trace() }
        group.addTask {
          // The tasks are made on a thread that has just driven a simulation, or is about to.
          await Task.detached { await Task.yield() }.value
          await Task { @MainActor in MainActor.assertIsolated() }.value
          outside.change { $0 += 1 }
          return nil
        }
        if number.isMultiple(of: 8) { await Task.yield() }
      }
      return try await group.reduce(into: [[String]]()) { traces, trace in if let trace { traces.append(trace) } }
    }
    #expect(traces.count == 64)
    #expect(Set(traces).count == 1)
    #expect(outside.value == 64)
  }

  /// Returns a store's log for tasks of every kind, in order.
  private func trace() async throws -> [String] {
    try await simulate(seed: 21, jitter: .milliseconds(2)) { simulation in
      let store = simulation.store(Journal(), env: (), isolation: MainActor.shared)
      let random = simulation.random
      await store.run(
        .merge(
          effects: (0..<20).map { job in
            .concatenate(
              .task {
                await Task.detached { await Task.yield() }.value
                await MainActor.run {}
                return .sleep(random.next(in: .zero ... .milliseconds(20)))
              },
              .log("\(job) at \(simulation.clock.now)"))
          }))
      return store.log
    }
  }
}
