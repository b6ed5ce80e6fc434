import AsyncStore
import CAsyncStoreTesting
import Synchronization

/// Records which explorations run in a process that replays one of them, and warns at the end if that exploration has
/// not run.
///
/// Without the watch, a replay would pass like any other test run if its name is mistyped or its line has moved. A
/// process without any exploration gets no warning, because `swift test` runs the tests of each library in a process of
/// its own.
final class ReplayWatch: Sendable {
  /// The watch of this process, or `nil` if it does not replay a particular exploration.
  static let process: ReplayWatch? = ReplayWatch(.process).map { $0.start() }

  /// The name of the exploration to replay.
  private let wanted: String
  /// True if the process fails when the exploration has not run.
  private let failsProcess: Bool
  /// The names of the explorations so far.
  private let names = Mutex<Set<String>>([])

  /// - Parameter isExitTest: true in the process of an exit test, whose exit status is for the test to check.
  init?(_ environment: ExplorationEnvironment, isExitTest: Bool = IssueCollector.isInExitTest) {
    guard let text = environment.schedule, let wanted = try? ScheduleReference(reading: text).exploration else {
      return nil
    }
    self.wanted = wanted
    failsProcess = !isExitTest
  }

  /// Checks at the end of the process whether the exploration has run.
  func start() -> ReplayWatch {
    Self.watched.withLock { $0 = self }
    asyncStoreTesting_checkAtEnd { ReplayWatch.watched.withLock { $0 }?.isKept() ?? true }
    return self
  }

  func note(_ name: String) { names.withLock { _ = $0.insert(name) } }

  /// The warning that the exploration has not run, or `nil` if it has or if none has.
  var warning: String? {
    let names = names.withLock { $0 }
    guard !names.isEmpty, !names.contains(wanted) else { return nil }
    let file = Self.file(of: wanted)
    let others = names.filter { Self.file(of: $0) == file }.sorted {
      ($0.utf8.count, $0) < ($1.utf8.count, $1)
    }
    let known =
      others.isEmpty
      ? "No exploration of \(file) has run: compare the file's name, and the filter of the tests."
      : "Of \(file) these have run: \(others.prefix(20).joined(separator: ", "))\(others.count > 20 ? ", …" : ""). If "
        + "the line has moved, put the new one into the variable."
    return "AsyncStoreTesting: Nothing was replayed. \(ExplorationEnvironment.scheduleVariable) names \(wanted), and "
      + "no exploration there has run. \(known)"
  }

  private static let watched = Mutex<ReplayWatch?>(nil)

  /// Prints the warning if there is one; returns false if the process fails because of it.
  private func isKept() -> Bool {
    guard let warning else { return true }
    printWarning(warning)
    return !failsProcess
  }

  private static func file(of exploration: String) -> String {
    exploration.lastIndex(of: ":").map { String(exploration[..<$0]) } ?? exploration
  }
}
