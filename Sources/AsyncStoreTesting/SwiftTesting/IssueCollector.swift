import Synchronization

#if canImport(Testing)
  import Testing
#endif

/// An issue that a body recorded.
struct RecordedIssue: Sendable {
  /// The description of the issue, with its place in the source.
  let description: String
  /// The identity of the issue: its kind, its comments and its place, without values.
  let identity: String

  /// Words that replace the comments in the identity of the issues that this task records, for comments that contain
  /// values.
  @TaskLocal static var commentsIdentity: String?
}

/// Collects the issues that a body records, for example failed expectations, so that the test does not fail because of
/// them.
final class IssueCollector: Sendable {
  private let issues = Mutex<[RecordedIssue]>([])
  private let scheduler = Mutex<Scheduler?>(nil)
  private let heard = Mutex(false)

  /// True if the recorded issues were already reported: by XCTest, or by Swift Testing for a task that belongs to no
  /// test.
  var isHeard: Bool { heard.withLock { $0 } }

  /// Records an issue that has already been reported.
  func noteHeard(_ issue: RecordedIssue) {
    issues.withLock { $0.append(issue) }
    heard.withLock { $0 = true }
  }

  /// Performs a run and returns the issues that it records.
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

  /// Returns whether an issue recorded here and now belongs to the exploration.
  ///
  /// Swift Testing reports an issue of a task that knows its test only to that test. It reports an issue of any other
  /// task, such as a detached one, to every running test; that issue belongs to the exploration only on the thread that
  /// runs its simulation.
  func isResponsible(isInTest: Bool) -> Bool {
    isInTest || scheduler.withLock { $0.map { RuntimeHooks.isDriving($0) } ?? false }
  }

  #if canImport(Testing)
    /// The function of the test that this task runs, or `nil` if it runs no test of Swift Testing.
    static var testFunction: String? { Test.current?.name }

    /// The name of that test, with module, suites and arguments.
    static var testName: String? {
      Test.current.map { "\($0.id)".replacing(/\/[^\/]+:\d+:\d+$/, with: "") }
    }

    /// True in a process that runs an exit test's body.
    static var isInExitTest: Bool {
      #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || os(Android) || os(WASI)
        false
      #else
        ExitTest.current != nil
      #endif
    }

    /// Returns whether an error comes from a failed `#require`, which records an issue before it throws.
    static func isFailedExpectation(_ error: any Error) -> Bool { error is ExpectationFailedError }

    /// Runs the body, and collects the issues that it records.
    ///
    /// Outside a test of Swift Testing, XCTest records them.
    func collect(_ body: @Sendable () async throws -> Void) async throws {
      guard let test = Test.current else { return try await listenToXCTest(body) }
      let handling = IssueHandlingTrait.compactMapIssues { issue in
        // A known issue, or a warning.
        if !issue.isFailure { return issue }
        // The issue belongs to another test, or to none. Its own test, or the test run, reports it.
        guard self.isResponsible(isInTest: Test.current != nil) else { return nil }
        // Swift Testing also reports an issue of a task that knows no test to the test run, whatever this returns.
        if Test.current == nil {
          self.noteHeard(RecordedIssue(issue))
        } else {
          self.issues.withLock { $0.append(RecordedIssue(issue)) }
        }
        return nil
      }
      try await handling.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
  #else
    static var testFunction: String? { nil }
    static var testName: String? { nil }
    static var isInExitTest: Bool { false }
    static func isFailedExpectation(_ error: any Error) -> Bool { false }

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
        case .confirmationMiscounted: "confirmation"
        case .timeLimitExceeded: "time limit"
        case .errorCaught(let error), .valueAttachmentFailed(let error): "\(type(of: error)): \(error)"
        // Other kinds contain no values.
        default: "\(issue.kind)"
        }
      identity = "\(kind) \(Self.commentsIdentity ?? "\(issue.comments)")\(place)"
    }
  }
#endif
