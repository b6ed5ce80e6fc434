/// Simplifies a failing schedule: looks for the same failure with as few non-default choices as possible.
///
/// The shrinker gives up after a number of runs or a length of time, even in the middle of a run.
struct Shrinker {
  private static let patience = 4_000
  private static let leastWordsOfHold = 3

  private var runner: TrialRunner
  private let failure: String?
  private let limit: TimeLimit
  private var best: Trial
  private var runs = 0
  /// True if time ran out, so that a simpler schedule may exist.
  private(set) var isInterrupted = false
  /// The number of choices for which the best schedule holds one task back, if it does nothing else.
  private(set) var holdLength: Int?

  init(_ trial: Trial, runner: TrialRunner, within limit: TimeLimit) {
    self.runner = runner
    self.runner.options.timeLimit = limit
    failure = trial.failure?.identity
    self.limit = limit
    best = trial
  }

  mutating func shrink() -> Trial {
    guard best.schedule.switchCount > 0 else { return best }
    let ordinary = runner.run(Schedule(seed: best.schedule.seed, choices: []))
    guard !take(ordinary), !ordinary.isCutShort else { return best }
    // A large program has too many to try before the parts that don't matter are gone.
    let isSmall = ordinary.schedule.choices.sum { $0.count - 1 } <= Self.patience / 2
    if isSmall { trySingleSwitches(in: ordinary.schedule, within: Self.patience / 2) }
    if best.schedule.switchCount > 1 { zeroParts() }
    if best.schedule.switchCount > 1, !isSmall { trySingleSwitches(in: ordinary.schedule, within: Self.patience) }
    if best.schedule.words > Self.leastWordsOfHold { tryHolds(in: ordinary.schedule) }
    return best
  }

  /// Tries schedules with a single non-default choice, which is usually enough.
  private mutating func trySingleSwitches(in ordinary: Schedule, within limit: Int) {
    for (position, choice) in ordinary.choices.enumerated() {
      for index in 1..<choice.count {
        guard hasTime(within: limit) else { return }
        var candidate = ordinary
        candidate.choices[position].index = index
        if attempt(candidate) { return }
      }
    }
  }

  /// Resets parts of the schedule to default choices: first large parts, then smaller ones, finally single choices,
  /// until each remaining non-default choice is needed.
  private mutating func zeroParts() {
    var width = max(best.schedule.count, 1)
    while width >= 1 {
      var isShorter = false
      var start = 0
      while start < best.schedule.count {
        let range = start..<min(start + width, best.schedule.count)
        start += width
        guard best.schedule.choices[range].contains(where: { $0.index != 0 }) else { continue }
        guard hasTime(within: Self.patience) else { return }
        var candidate = best.schedule
        for index in range { candidate.choices[index].index = 0 }
        if attempt(candidate) { isShorter = true }
      }
      if width > 1 || !isShorter { width /= 2 }
    }
  }

  /// Tries schedules that only hold one task back while the others run.
  ///
  /// Such a schedule is simple, however many choices it has.
  ///
  /// Tries every place, with long holds first; shortening a hold takes a few runs.
  private mutating func tryHolds(in ordinary: Schedule) {
    let placeCount = ordinary.choices.count { $0.kind == .job }
    var length = best.schedule.count
    while length >= 4 {
      for place in 0..<placeCount {
        guard hasTime(within: Self.patience) else { return }
        if hold(at: place, length) { return shortenHold(at: place, length) }
      }
      length /= 4
    }
  }

  private mutating func shortenHold(at place: Int, _ length: Int) {
    var (low, high) = (1, length)
    while low < high {
      guard hasTime(within: .max) else { return }
      let middle = (low + high) / 2
      if hold(at: place, middle) { high = middle } else { low = middle + 1 }
    }
  }

  private mutating func hold(at place: Int, _ length: Int) -> Bool {
    runs += 1
    let isBetter = take(runner.run(seed: best.schedule.seed, HoldingStrategy(place, length)))
    if isBetter { holdLength = best.schedule.switchCount }
    return isBetter
  }

  private mutating func hasTime(within mostRuns: Int) -> Bool {
    guard !limit.isOver, !Task.isCancelled else {
      isInterrupted = true
      return false
    }
    return runs < mostRuns
  }

  private mutating func attempt(_ candidate: Schedule) -> Bool {
    runs += 1
    return take(runner.run(candidate))
  }

  private mutating func take(_ trial: Trial) -> Bool {
    if trial.isCutShort { isInterrupted = true }
    guard trial.failure?.identity == failure, trial.schedule.cost < best.schedule.cost else { return false }
    best = trial
    return true
  }
}

extension Schedule {
  /// The measure that shrinking reduces: the words for the non-default choices, then their number, then the sum of
  /// their distances from the default, then the length.
  fileprivate var cost: (Int, Int, Int, Int) { (words, switchCount, choices.sum(\.index), count) }

  /// The number of words for the non-default choices.
  ///
  /// Each choice is a word. But consecutive choices that run the second job, and so hold the first one back, take only
  /// one more word each time that their number doubles.
  fileprivate var words: Int {
    var words = 0
    var holdLength = 0
    for choice in choices where choice.kind == .job || choice.index != 0 {
      let isHold = choice.kind == .job && choice.index == 1
      // Each power of two begins another word; three consecutive choices take as many words as four.
      if isHold { words += holdLength & (holdLength - 1) == 0 ? 1 : 0 } else if choice.index != 0 { words += 1 }
      if choice.kind == .job { holdLength = isHold ? holdLength + 1 : 0 }
    }
    return words
  }
}

extension [Schedule.Choice] {
  /// Returns the sum of a number for each choice, at most `Int.max`, because a choice may be among that many values.
  fileprivate func sum(_ number: (Schedule.Choice) -> Int) -> Int {
    reduce(0) { sum, choice in
      let (value, isTooLarge) = sum.addingReportingOverflow(number(choice))
      return isTooLarge ? .max : value
    }
  }
}
