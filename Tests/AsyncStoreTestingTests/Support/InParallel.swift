import Foundation

/// Runs a body a thousand times, 64 at a time.
///
/// `ASYNCSTORE_STRESS`, by default 1, scales the number of runs, which is at least 64.
func inParallel(_ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<repetitions {
      if number >= 64 { try await group.next() }
      group.addTask { try await body() }
    }
    try await group.waitForAll()
  }
}

/// The number of times that ``inParallel(_:)`` runs its body.
let repetitions = max(
  64,
  ProcessInfo.processInfo.environment["ASYNCSTORE_STRESS"].flatMap(Double.init).map { Int(1_000 * $0) }
    ?? TestSize.many(1_000))
