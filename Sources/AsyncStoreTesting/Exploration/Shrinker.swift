/// Looks for the ordinary in a failing schedule: the same fault with as few choices out of the ordinary as possible.
struct Shrinker {
  private static let patience = 4_000

  private let runner: TrialRunner
  private let fault: String?
  private var best: Trial
  private var runs = 0

  init(_ trial: Trial, runner: TrialRunner) {
    self.runner = runner
    fault = trial.fault?.kind
    best = trial
  }

  mutating func shrink() -> Trial {
    trySingleSwitches()
    if best.schedule.switches > 1 { zeroParts() }
    return best
  }

  /// One such choice is enough more often than not, and which one is found by trying them all.
  private mutating func trySingleSwitches() {
    guard best.schedule.switches > 0 else { return }
    let ordinary = runner.run(Schedule(seed: best.schedule.seed, choices: []))
    guard !take(ordinary) else { return }
    for (position, choice) in ordinary.schedule.choices.enumerated() where runs < Self.patience / 2 {
      for index in 1..<choice.count {
        var candidate = ordinary.schedule
        candidate.choices[position].index = index
        if attempt(candidate) { return }
      }
    }
  }

  /// First large parts, then smaller ones, at last single choices, until none of those can be spared.
  private mutating func zeroParts() {
    var width = max(best.schedule.count, 1)
    while width >= 1, runs < Self.patience {
      var isShorter = false
      var start = 0
      while start < best.schedule.count, runs < Self.patience {
        let range = start..<min(start + width, best.schedule.count)
        start += width
        guard best.schedule.choices[range].contains(where: { $0.index != 0 }) else { continue }
        var candidate = best.schedule
        for index in range { candidate.choices[index].index = 0 }
        if attempt(candidate) { isShorter = true }
      }
      if width > 1 || !isShorter { width /= 2 }
    }
  }

  private mutating func attempt(_ candidate: Schedule) -> Bool {
    runs += 1
    return take(runner.run(candidate))
  }

  private mutating func take(_ trial: Trial) -> Bool {
    guard trial.fault?.kind == fault, trial.schedule.cost < best.schedule.cost else { return false }
    best = trial
    return true
  }
}

extension Schedule {
  /// What is shrunk: the choices out of the ordinary, then how far out they are, then the length.
  fileprivate var cost: (Int, Int, Int) { (switches, choices.reduce(0) { $0 + $1.index }, count) }
}
