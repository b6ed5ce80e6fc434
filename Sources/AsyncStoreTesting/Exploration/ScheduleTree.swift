/// A depth-first walk through all schedules of a body.
///
/// Each schedule that was run records the number of possibilities at each of its choices. The next schedule takes the
/// next possibility at the last choice that has one left.
struct ScheduleTree {
  /// The choices that the next schedule begins with.
  ///
  /// Beyond them, it takes the first possibility each time.
  private(set) var prefix: [Schedule.Choice] = []

  /// Moves on to the next prefix, after a schedule with the current one has been run.
  ///
  /// - Returns: true if there is another schedule.
  mutating func advance(past schedule: Schedule) -> Bool {
    var choices = schedule.choices
    while let last = choices.popLast() {
      guard last.index + 1 < last.count else { continue }
      prefix = choices + [Schedule.Choice(kind: last.kind, index: last.index + 1, count: last.count)]
      return true
    }
    return false
  }

  /// Returns a description of where a schedule left the prefix, or `nil` if it did not.
  func divergence(of schedule: Schedule) -> String? {
    let start = Schedule(seed: schedule.seed, choices: Array(schedule.choices.prefix(prefix.count)))
    return Schedule(seed: schedule.seed, choices: prefix).divergence(of: start)
  }
}
