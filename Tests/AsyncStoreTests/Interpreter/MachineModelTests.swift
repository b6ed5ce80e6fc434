import Foundation
import Testing

@testable import AsyncStore

/// Compares the machine with ``ReferenceModel``.
///
/// ``TestSize`` defines the number of cases, and can replay one.
@Suite("The machine and the reference model")
struct MachineModelTests {
  private static let parts = 8

  @Test("The machine agrees with the model on generated trees and event orders", arguments: 0..<parts)
  func generated(part: Int) async {
    if let seed = TestSize.seed {
      if part == 0 { _ = check(seed) }
      return
    }
    for index in 0..<(TestSize.cases / Self.parts) {
      guard check(UInt64(index * Self.parts + part)) else { return }
      // Gives tests that run in parallel their turn.
      if index % 100 == 0 { await Task.yield() }
    }
  }

  private func check(_ seed: UInt64) -> Bool {
    TestSize.note(seed)
    // Most cases are small, because most faults are. Every twentieth case has the largest size.
    let (nodes, events) = seed % 20 == 0 ? (30, 24) : seed % 4 == 0 ? (12, 10) : (6, 7)
    guard let found = Lockstep.check(seed: seed, nodes: nodes, events: events) else { return true }
    // As they are written in a test.
    let steps = found.steps.map { "  .\($0.event),\($0.mayCommit ? "" : "  // where it may not commit")" }
      .joined(separator: "\n")
    let report = "ASYNCSTORE_SEED=\(seed)\n\(steps)\n\(found.difference)"
    let modules = ["AsyncStoreTests.", "AsyncStore.", "Tree.", "Output.", "TestEnding."]
    Issue.record("\(modules.reduce(report) { $0.replacingOccurrences(of: $1, with: "") })")
    return false
  }
}
