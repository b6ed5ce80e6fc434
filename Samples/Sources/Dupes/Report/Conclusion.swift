import Console

/// The end of a search, and the program's output for it.
struct Conclusion: Sendable {
  var search: Search
  /// The errors of stores that did not end in time; usually none.
  var failures: [any Error] = []

  /// The exit code: 0 if everything was looked at, 1 if something was not, 130 if the search was interrupted, as in
  /// shells.
  var exitCode: Int32 {
    if search.progress.isInterrupted { return 130 }
    return search.errors.isEmpty && failures.isEmpty ? 0 : 1
  }

  /// Returns the text for the standard output: the whole result, or nothing.
  ///
  /// A part of the result would be wrong: a file without a duplicate may have one among the files that were not looked
  /// at.
  func output(json: Bool) throws -> String {
    if search.progress.isInterrupted { return "" }
    let report = Report(search)
    return try json ? report.json() + "\n" : report.text
  }

  /// Returns the text for the standard error.
  func messages(json: Bool) -> String {
    var lines: [String] = []
    if search.progress.isInterrupted {
      lines.append("Interrupted. \(search.progress.title): \(search.progress.amounts). Nothing was changed.")
    } else if !json {
      lines += search.errors.map { $0.description.printable }
    }
    lines += failures.map { "\($0)" }
    return lines.map { $0 + "\n" }.joined()
  }
}
