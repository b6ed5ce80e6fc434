import Console

/// How a search ended, and what the program says then.
struct Conclusion: Sendable {
  var search: Search
  /// What did not end in time; nothing is the rule.
  var failures: [any Error] = []

  /// What the program ends with: 0 if all was looked at, 1 if something was not, 130 if it was interrupted, as shells
  /// have it.
  var exitCode: Int32 {
    if search.progress.isInterrupted { return 130 }
    return search.errors.isEmpty && failures.isEmpty ? 0 : 1
  }

  /// What goes to the standard output: the whole result, or nothing.
  ///
  /// A part of the result would be wrong: a file without a duplicate may have one among those that nobody has looked
  /// at.
  func output(json: Bool) throws -> String {
    if search.progress.isInterrupted { return "" }
    let report = Report(search)
    return try json ? report.json() + "\n" : report.text
  }

  /// What goes to the standard error.
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
