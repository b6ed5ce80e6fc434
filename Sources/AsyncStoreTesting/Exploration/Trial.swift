/// One run of a body under one schedule.
struct Trial {
  /// How a body failed.
  struct Fault {
    let description: String
    /// What makes it the same fault as another one.
    let kind: String
    /// Whether it was an expectation that failed and nothing that was thrown.
    let isIssue: Bool
  }

  let schedule: Schedule
  let fault: Fault?
  /// What the simulation's stores did, the last of it.
  let story: [String]
}

extension Trial.Fault {
  init(_ error: any Error) {
    description = "\(error)"
    kind = (error as? SimulationFailure).map { "\($0.code)" } ?? "\(type(of: error))"
    isIssue = false
  }

  init?(issues: [String]) {
    guard !issues.isEmpty else { return nil }
    description = issues.joined(separator: "\n")
    kind = "issue"
    isIssue = true
  }
}
