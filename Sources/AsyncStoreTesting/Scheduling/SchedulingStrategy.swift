import AsyncStore

/// Decides what a simulation does next when there is more than one possibility.
///
/// The scheduler records the choices; a strategy need not.
protocol SchedulingStrategy: Sendable {
  /// Returns the job to run, by its place in the order in which the jobs became runnable.
  mutating func chooseJob(among runnable: inout RunQueue) -> Int
  /// Returns the delay of a sleeper, from 0 (on time) to `levels - 1` (latest).
  mutating func chooseDelay(levels: Int) -> Int
  /// Returns whether a fault happens that has a probability between 0 and 1, exclusive.
  mutating func choosesFault(_ probability: Double) -> Bool
  /// Returns one of several outcomes, from 0 (the ordinary one) to `count - 1`.
  mutating func chooseOutcome(among count: Int) -> Int
}

/// Chooses any runnable job, each with the same probability.
struct RandomStrategy: SchedulingStrategy {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func chooseJob(among runnable: inout RunQueue) -> Int { generator.next(below: runnable.count) }
  mutating func chooseDelay(levels: Int) -> Int { generator.next(below: levels) }
  mutating func choosesFault(_ probability: Double) -> Bool { generator.happens(withProbability: probability) }
  mutating func chooseOutcome(among count: Int) -> Int { generator.next(below: count) }
}

/// Repeats recorded choices.
///
/// After those, the first runnable job runs, sleepers wake on time, and no fault happens.
///
/// If the program differs from the recording, the strategy makes the nearest possible choice; compare the schedules
/// afterwards to find out.
struct ReplayStrategy: SchedulingStrategy {
  private let choices: [Schedule.Choice]
  private var next = 0

  init(_ choices: [Schedule.Choice] = []) { self.choices = choices }

  mutating func chooseJob(among runnable: inout RunQueue) -> Int { choose(among: runnable.count) }
  mutating func chooseDelay(levels: Int) -> Int { choose(among: levels) }
  mutating func choosesFault(_ probability: Double) -> Bool { choose(among: 2) == 1 }
  mutating func chooseOutcome(among count: Int) -> Int { choose(among: count) }

  private mutating func choose(among count: Int) -> Int {
    guard next < choices.count else { return 0 }
    defer { next += 1 }
    return min(choices[next].index, count - 1)
  }
}

/// Makes the default choices, except that one task does not run for `length` choices while another can.
struct HoldingStrategy: SchedulingStrategy {
  private let start: Int
  private let length: Int
  /// The number of choices among jobs so far.
  private var step = 0
  private var task: UInt64?

  /// - Parameter start: the number of choices among jobs before the one whose first task is held back.
  init(_ start: Int, _ length: Int) {
    self.start = start
    self.length = length
  }

  mutating func chooseJob(among runnable: inout RunQueue) -> Int {
    defer { step += 1 }
    if step == start { task = runnable[0].task }
    guard let task, step - start < length else { return 0 }
    return (0..<runnable.count).first { runnable[$0].task != task } ?? 0
  }

  mutating func chooseDelay(levels: Int) -> Int { 0 }
  mutating func choosesFault(_ probability: Double) -> Bool { false }
  mutating func chooseOutcome(among count: Int) -> Int { 0 }
}

extension SplitMix64 {
  /// Returns a number from 0 to less than `bound`, all with the same probability, as far as 64 bits allow.
  mutating func next(below bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// Returns true with this probability, from 0, never, to 1, always.
  mutating func happens(withProbability probability: Double) -> Bool {
    Double(next() >> 11) / Double(1 << 53) < probability
  }
}
