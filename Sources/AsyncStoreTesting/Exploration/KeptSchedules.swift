import CAsyncStoreTesting

/// The schedules that have failed before, in a file beside the test's, to be tried before any others.
///
/// `SearchTests.schedules` belongs to `SearchTests.swift`; each of its lines is a test's name and a schedule. The rest
/// of a line after a `#` is a comment.
struct KeptSchedules {
  private let path: String
  private let testName: String

  init(_ site: ExplorationSite) {
    path = site.filePath.hasSuffix(".swift") ? site.filePath.dropLast(6) + ".schedules" : ""
    testName = site.testName
  }

  /// The schedules of the test.
  ///
  /// A line without a schedule is skipped, because it may be from another version.
  var all: [Schedule] {
    lines.compactMap { line in
      let words = line.prefix { $0 != "#" }.split(separator: " ")
      guard words.count == 2, words[0] == testName else { return nil }
      return Schedule(String(words[1]))
    }
  }

  /// Adds a schedule if it is not there yet.
  func keep(_ schedule: Schedule) {
    guard !path.isEmpty, !all.contains(schedule) else { return }
    asyncStoreTesting_append("\(testName) \(schedule)\n", path)
  }

  /// Writes the trace of a failure, in place of an earlier one: `SearchTests.findsResults.trace.json`.
  ///
  /// - Parameter number: the number of the failure in its exploration, from 1.
  func keep(_ trace: Trace, number: Int) {
    guard !path.isEmpty else { return }
    let suffix = number == 1 ? "" : "-\(number)"
    asyncStoreTesting_write(trace.json, "\(path.dropLast(10)).\(testName)\(suffix).trace.json")
  }

  private var lines: [Substring] {
    guard !path.isEmpty, let text = asyncStoreTesting_read(path) else { return [] }
    defer { asyncStoreTesting_free(text) }
    return String(cString: text).split(separator: "\n")
  }
}
