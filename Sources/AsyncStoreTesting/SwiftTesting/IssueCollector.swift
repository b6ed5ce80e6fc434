import Synchronization

#if canImport(Testing)
  import Testing
#endif

/// Keeps the issues that a body records, expectations that fail for one, instead of having the test fail for them.
final class IssueCollector: Sendable {
  private let issues = Mutex<[String]>([])

  /// The issues since the last time.
  func takeAll() -> [String] {
    issues.withLock { issues in
      defer { issues = [] }
      return issues
    }
  }

  #if canImport(Testing)
    /// The name of the test that this task runs; `nil`: none of Swift Testing's.
    static var testName: String? { Test.current.map { String($0.name.prefix { $0 != "(" }) } }

    /// Runs the body; what it records comes here.
    ///
    /// Outside of a test of Swift Testing's there is nothing to keep.
    func collect(_ body: @Sendable () async throws -> Void) async throws {
      guard let test = Test.current else { return try await body() }
      let handling = IssueHandlingTrait.compactMapIssues { issue in
        // A known issue, or a warning.
        if !issue.isFailure { return issue }
        let place = issue.sourceLocation.map { " (\($0))" } ?? ""
        self.issues.withLock { $0.append("\(issue)\(place)") }
        return nil
      }
      try await handling.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
  #else
    static var testName: String? { nil }

    func collect(_ body: @Sendable () async throws -> Void) async throws { try await body() }
  #endif
}
