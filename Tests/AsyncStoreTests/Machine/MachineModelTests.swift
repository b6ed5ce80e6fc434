import Foundation
import Testing

@testable import AsyncStore

/// The machine against ``ReferenceModel``.
///
/// `ASYNCSTORE_CASES` raises the number of cases, `ASYNCSTORE_SEED` replays one.
@Suite("The machine agrees with the reference model")
struct MachineModelTests {
  private static let parts = 8
  /// Prints each seed before it runs, to find one that traps.
  private static let isVerbose = ProcessInfo.processInfo.environment["ASYNCSTORE_VERBOSE"] != nil
  private static let cases = ProcessInfo.processInfo.environment["ASYNCSTORE_CASES"].flatMap { Int($0) } ?? 100_000
  private static let seed = ProcessInfo.processInfo.environment["ASYNCSTORE_SEED"].flatMap { UInt64($0) }

  @Test("on generated trees and event orders", arguments: 0..<parts)
  func generated(part: Int) {
    if let seed = Self.seed {
      if part == 0 { _ = check(seed) }
      return
    }
    for index in 0..<(Self.cases / Self.parts) where !check(UInt64(index * Self.parts + part)) { return }
  }

  private func check(_ seed: UInt64) -> Bool {
    if Self.isVerbose { FileHandle.standardError.write(Data("seed \(seed)\n".utf8)) }
    // Most are small, because most faults are, and every twentieth is as large as they come.
    let (nodes, events) = seed % 20 == 0 ? (30, 24) : seed % 4 == 0 ? (12, 10) : (6, 7)
    guard let found = Lockstep.check(seed: seed, nodes: nodes, events: events) else { return true }
    let steps = found.steps.map { "  \($0)" }.joined(separator: "\n")
    let report = "ASYNCSTORE_SEED=\(seed)\n\(steps)\n\(found.difference)"
    let modules = ["AsyncStoreTests.", "AsyncStore.", "TestStep(event: TestEvent.", "Tree.", "Output.", "TestEnding."]
    Issue.record("\(modules.reduce(report) { $0.replacingOccurrences(of: $1, with: "") })")
    return false
  }
}
