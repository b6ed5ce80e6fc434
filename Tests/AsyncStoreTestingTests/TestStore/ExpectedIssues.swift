import AsyncStoreTesting
import Testing

/// Runs a body with a test store of a state, and expects it to report issues that contain these words.
func expectIssues<State: Equatable & Sendable>(
  containing words: [String], from state: State, sourceLocation: Testing.SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (TestStore<State, Void>, Simulation) async -> Void
) async throws {
  let reported = Note<[String]>()
  try await withKnownIssue {
    try await simulate { simulation in await body(simulation.testStore(state, env: ()), simulation) }
  } matching: { issue in
    reported.add(issue.comments.map(\.rawValue).joined(separator: "\n"))
    return true
  }
  let text = reported.value.joined(separator: "\n")
  for word in words { #expect(text.contains(word), "\(text)", sourceLocation: sourceLocation) }
}
