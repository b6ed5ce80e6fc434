import Foundation

/// Does something a thousand times, 64 at a time.
///
/// `ASYNCSTORE_STRESS`, by default 1, scales how often; it is 64 times at least.
func inParallel(_ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<repetitions {
      if number >= 64 { try await group.next() }
      group.addTask { try await body() }
    }
    try await group.waitForAll()
  }
}

/// How often ``inParallel(_:)`` does something.
let repetitions = max(
  64, Int(1_000 * (ProcessInfo.processInfo.environment["ASYNCSTORE_STRESS"].flatMap(Double.init) ?? 1)))
