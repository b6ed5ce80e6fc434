import CAsyncStoreTesting

/// The line that replays a schedule, for a shell.
struct ReplayLine: CustomStringConvertible {
  /// The longest word for a command line, in bytes; Linux takes 128 KB.
  private static let longestWord = 100_000

  let description: String

  /// Creates a line; a word that is too long for a command line is written to a file, which the line names instead.
  ///
  /// - Parameters:
  ///   - exploration: the name of the exploration, which contains a file name.
  ///   - filter: the test's filter, already quoted.
  init(schedule: Schedule, exploration: String, filter: String) {
    guard schedule.count <= Schedule.mostChoices else {
      description = "The schedule has more than \(Schedule.mostChoices) choices, too many to replay it."
      return
    }
    var value = "\(schedule)@\(exploration)"
    if value.utf8.count > Self.longestWord {
      guard let path = asyncStoreTesting_keepWord(value + "\n") else {
        description = "The schedule is too long to be printed, and a file for it can't be written."
        return
      }
      defer { asyncStoreTesting_free(path) }
      value = String(cString: path)
    }
    description =
      "Replay it: \(ExplorationEnvironment.scheduleVariable)=\(Self.quoted(value)) swift test --filter \(filter)"
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
