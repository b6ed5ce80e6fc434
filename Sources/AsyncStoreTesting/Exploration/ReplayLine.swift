/// The line that replays a schedule, as a shell reads it.
struct ReplayLine: CustomStringConvertible {
  let schedule: Schedule
  /// The name of the exploration, which has the name of a file in it.
  let exploration: String
  /// The test's filter, quoted already.
  let filter: String

  var description: String {
    let word = Self.quoted("\(schedule)@\(exploration)")
    return "Replay it: \(ExplorationEnvironment.scheduleVariable)=\(word) swift test --filter \(filter)"
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
