import AsyncStore
import CAsyncStoreTesting

/// Schedules that failed before, in a file beside the test's, to be tried before any others.
///
/// `SearchTests.schedules` belongs to `SearchTests.swift`. Each of its lines contains a test's name and a schedule. The
/// rest of a line after a blank and a `#` is a comment. The line endings of any system are accepted.
struct KeptSchedules {
  private let path: String
  private let testName: String

  init(_ site: ExplorationSite) { self.init(beside: site.filePath, testName: site.testName) }

  /// - Parameter testName: may contain blanks.
  init(beside filePath: String, testName: String) {
    path = filePath.hasSuffix(".swift") ? filePath.dropLast(6) + ".schedules" : ""
    self.testName = testName.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The schedules of the test.
  ///
  /// A line without a schedule is skipped, because it may come from another version.
  var all: [Schedule] {
    text.split { $0.isNewline || $0 == "\0" }.compactMap { line in
      let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      guard words.hasPrefix(testName + " ") else { return nil }
      return Schedule(String(words.dropFirst(testName.count + 1).prefix { $0 != " " }))
    }
  }

  /// Adds a schedule if it is not in the file yet.
  ///
  /// If the file can't be written, a line on the standard error stream says so.
  func keep(_ schedule: Schedule) {
    guard !path.isEmpty, !all.contains(schedule) else { return }
    let lineBreak = text.last?.isNewline ?? true ? "" : "\n"
    if asyncStoreTesting_append("\(lineBreak)\(testName) \(schedule)\n", path) { return }
    printWarning("AsyncStoreTesting: \(path) can't be written, so this is not kept: \(testName) \(schedule)")
  }

  /// Writes the trace of a failure, replacing an earlier one: `SearchTests.findsResults.trace.json`.
  ///
  /// If the file can't be written, a line on the standard error stream says so.
  ///
  /// - Parameter number: the number of the failure in its exploration, from 1.
  func keep(_ trace: Trace, number: Int) {
    guard !path.isEmpty else { return }
    let suffix = number == 1 ? "" : "-\(number)"
    // A test's name in backticks may contain slashes.
    let name = String(testName.map { $0 == "/" ? "-" : $0 })
    let file = "\(path.dropLast(10)).\(name)\(suffix).trace.json"
    if asyncStoreTesting_write(trace.json, file) { return }
    printWarning("AsyncStoreTesting: \(file) can't be written, so this trace is not kept.")
  }

  private var text: String {
    var length = 0
    guard !path.isEmpty, let text = asyncStoreTesting_read(path, &length) else { return "" }
    defer { asyncStoreTesting_free(text) }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
  }
}
