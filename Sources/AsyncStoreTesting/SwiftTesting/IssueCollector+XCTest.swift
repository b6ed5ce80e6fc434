#if os(Linux) && canImport(XCTest)
  import XCTest

  extension IssueCollector {
    /// Runs the body, and collects the assertions that fail meanwhile.
    func listenToXCTest(_ body: @Sendable () async throws -> Void) async throws {
      let listener = XCTestListener(self)
      XCTestObservationCenter.shared.addTestObserver(listener)
      defer { XCTestObservationCenter.shared.removeTestObserver(listener) }
      try await body()
    }
  }

  private final class XCTestListener: XCTestObservation {
    private let collector: IssueCollector

    init(_ collector: IssueCollector) { self.collector = collector }

    func testCase(
      _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?, atLine line: Int
    ) {
      // XCTest informs every observer, but of several explorations at once only one has run this assertion.
      guard collector.isResponsible(isInTest: false) else { return }
      let place = filePath.map { " (\($0):\(line))" } ?? ""
      collector.noteHeard(
        RecordedIssue(description: "\(description)\(place)", identity: place.isEmpty ? description : place))
    }
  }
#else
  extension IssueCollector {
    func listenToXCTest(_ body: @Sendable () async throws -> Void) async throws { try await body() }
  }
#endif
