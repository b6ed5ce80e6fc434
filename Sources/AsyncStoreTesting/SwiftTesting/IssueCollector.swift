import Synchronization

#if canImport(Testing)
  import Testing
#endif

/// An issue that a body recorded.
struct RecordedIssue: Sendable {
  /// With the place in the source.
  let description: String
  /// What makes it the same as another one: its kind, its comments and its place, but not the values that came in.
  let identity: String
}

/// Keeps the issues that a body records, for example expectations that fail, instead of having the test fail for them.
final class IssueCollector: Sendable {
  private let issues = Mutex<[RecordedIssue]>([])
  private let scheduler = Mutex<Scheduler?>(nil)
  private let heard = Mutex(false)

  /// True if XCTest has reported the recorded issues, which it does at once.
  var isHeard: Bool { heard.withLock { $0 } }

  /// XCTest has reported an assertion that failed.
  func noteHeard(_ issue: RecordedIssue) {
    issues.withLock { $0.append(issue) }
    heard.withLock { $0 = true }
  }

  /// The issues that a run records.
  func collect<Result>(from scheduler: Scheduler, _ run: () -> Result) -> (Result, [RecordedIssue]) {
    self.scheduler.withLock { $0 = scheduler }
    defer { self.scheduler.withLock { $0 = nil } }
    let result = run()
    return (
      result,
      issues.withLock { issues in
        defer { issues = [] }
        return issues
      }
    )
  }

  /// Whether what is recorded here and now belongs to the exploration.
  ///
  /// A task that knows its test tells nobody else. What any other task records, one that is detached, Swift Testing
  /// tells every test that runs; it is the exploration's only on the thread that runs its simulation.
  func isResponsible(isInTest: Bool) -> Bool {
    isInTest || scheduler.withLock { $0.map { RuntimeHooks.isDriving($0) } ?? false }
  }

  #if canImport(Testing)
    /// The name of the test that this task runs; `nil`: none of Swift Testing's.
    static var testName: String? { Test.current.map { String($0.name.prefix { $0 != "(" }) } }

    /// Runs the body; what it records comes here.
    ///
    /// Outside of a test of Swift Testing's it is XCTest that records.
    func collect(_ body: @Sendable () async throws -> Void) async throws {
      guard let test = Test.current else { return try await listenToXCTest(body) }
      let handling = IssueHandlingTrait.compactMapIssues { issue in
        // A known issue, or a warning.
        if !issue.isFailure { return issue }
        // Another test's, or nobody's: whose it is, or the test run, reports it.
        guard self.isResponsible(isInTest: Test.current != nil) else { return nil }
        self.issues.withLock { $0.append(RecordedIssue(issue)) }
        return nil
      }
      try await handling.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
  #else
    static var testName: String? { nil }

    func collect(_ body: @Sendable () async throws -> Void) async throws { try await listenToXCTest(body) }
  #endif
}

#if canImport(Testing)
  extension RecordedIssue {
    init(_ issue: Issue) {
      let place = issue.sourceLocation.map { " (\($0))" } ?? ""
      description = "\(issue)\(place)"
      let kind =
        switch issue.kind {
        case .expectationFailed: "expectation"
        case .errorCaught(let error): "\(type(of: error)): \(error)"
        default: "\(issue.kind)"
        }
      identity = "\(kind) \(issue.comments)\(place)"
    }
  }
#endif
