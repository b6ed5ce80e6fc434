/// Does something a thousand times, 64 at a time.
func inParallel(_ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<1_000 {
      if number >= 64 { try await group.next() }
      group.addTask { try await body() }
    }
    try await group.waitForAll()
  }
}
