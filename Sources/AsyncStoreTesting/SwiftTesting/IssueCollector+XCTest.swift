#if os(Linux) && canImport(XCTest)
  import Synchronization
  import XCTest

  extension IssueCollector {
    /// Runs the body, and collects the assertions that fail meanwhile.
    func listenToXCTest(_ body: @Sendable () async throws -> Void) async throws {
      XCTestListener.shared.add(self)
      defer { XCTestListener.shared.remove(self) }
      try await body()
    }
  }

  /// Listens to XCTest for all explorations.
  ///
  /// XCTest's list of observers has no lock, and explorations begin and end on many threads. So there is one observer,
  /// which is never removed.
  private final class XCTestListener: XCTestObservation, Sendable {
    static let shared: XCTestListener = {
      let listener = XCTestListener()
      XCTestObservationCenter.shared.addTestObserver(listener)
      return listener
    }()

    private let collectors = Mutex<[IssueCollector]>([])

    func add(_ collector: IssueCollector) { collectors.withLock { $0.append(collector) } }
    func remove(_ collector: IssueCollector) { collectors.withLock { $0.removeAll { $0 === collector } } }

    func testCase(
      _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?, atLine line: Int
    ) {
      // Only one of several concurrent explorations has run this assertion.
      for collector in collectors.withLock({ $0 }) where collector.isResponsible(isInTest: false) {
        let place = filePath.map { " (\($0):\(line))" } ?? ""
        collector.noteHeard(
          RecordedIssue(description: "\(description)\(place)", identity: place.isEmpty ? description : place))
      }
    }
  }
#else
  extension IssueCollector {
    func listenToXCTest(_ body: @Sendable () async throws -> Void) async throws { try await body() }
  }
#endif
