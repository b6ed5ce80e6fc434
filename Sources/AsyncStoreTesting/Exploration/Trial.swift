/// One run of a body under one schedule.
struct Trial: Sendable {
  /// A failure of a body.
  struct Failure: Sendable {
    let description: String
    /// The identity of the failure, composed of type, message and place.
    let identity: String
    /// True if an expectation failed and nothing else was thrown.
    let isIssue: Bool
  }

  let schedule: Schedule
  let failure: Failure?
  /// The last events of the simulation's stores.
  let eventLog: [String]
  /// The trace, or `nil` if none was recorded.
  var trace: Trace?
  /// True if the limit of real time ended the run.
  var isCutShort = false
}

extension Trial.Failure {
  init(_ error: any Error) {
    description = "\(error)"
    identity = (error as? SimulationFailure)?.identity ?? "\(type(of: error)): \(error)"
    isIssue = false
  }

  init?(issues: [RecordedIssue]) {
    guard let first = issues.first else { return nil }
    description = issues.map(\.description).joined(separator: "\n")
    identity = first.identity
    isIssue = true
  }
}
