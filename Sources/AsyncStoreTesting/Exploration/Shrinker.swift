/// Looks for the ordinary in a failing schedule: the same fault with as few choices out of the ordinary as possible.
///
/// It gives up after so many runs, and after so much time, also in the middle of a run.
struct Shrinker {
  private static let patience = 4_000

  private var runner: TrialRunner
  private let fault: String?
  private let limit: TimeLimit
  private var best: Trial
  private var runs = 0
  /// Whether there may be a simpler schedule that there was no time for.
  private(set) var isInterrupted = false

  init(_ trial: Trial, runner: TrialRunner, within limit: TimeLimit) {
    self.runner = runner
    self.runner.options.timeLimit = limit
    fault = trial.fault?.identity
    self.limit = limit
    best = trial
  }

  mutating func shrink() -> Trial {
    guard best.schedule.switches > 0 else { return best }
    let ordinary = runner.run(Schedule(seed: best.schedule.seed, choices: []))
    guard !take(ordinary), !ordinary.isCutShort else { return best }
    // There are too many to try them all in a large program, unless the parts that don't matter are gone.
    let isSmall = ordinary.schedule.choices.reduce(0) { $0 + $1.count - 1 } <= Self.patience / 2
    if isSmall { trySingleSwitches(in: ordinary.schedule, within: Self.patience / 2) }
    if best.schedule.switches > 1 { zeroParts() }
    if best.schedule.switches > 1, !isSmall { trySingleSwitches(in: ordinary.schedule, within: Self.patience) }
    return best
  }

  /// One such choice is enough more often than not, and which one is found by trying them all.
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

  /// First large parts, then smaller ones, at last single choices, until none of those can be spared.
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
    guard trial.fault?.identity == fault, trial.schedule.cost < best.schedule.cost else { return false }
    best = trial
    return true
  }
}

extension Schedule {
  /// What is shrunk: the choices out of the ordinary, then how far out they are, then the length.
  fileprivate var cost: (Int, Int, Int) { (switches, choices.reduce(0) { $0 + $1.index }, count) }
}
