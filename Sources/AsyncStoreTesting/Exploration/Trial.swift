/// One run of a body under one schedule.
struct Trial: Sendable {
  /// How a body failed.
  struct Fault: Sendable {
    let description: String
    /// What makes it the same fault as another one: type, message and place.
    let identity: String
    /// Whether it was an expectation that failed and nothing that was thrown.
    let isIssue: Bool
  }

  let schedule: Schedule
  let fault: Fault?
  /// What the simulation's stores did, the last of it.
  let story: [String]
  /// What ran; `nil`: that was not recorded.
  var trace: Trace?
  /// True if it was ended by the limit of real time.
  var isCutShort = false
}

extension Trial.Fault {
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
