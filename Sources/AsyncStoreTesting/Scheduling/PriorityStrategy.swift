import AsyncStore

/// Runs the task with the highest priority.
///
/// Priorities are random, and change at a few random moments.
///
/// A fault of depth d needs d events in a certain order. For n tasks and k choices, the strategy finds it with a
/// probability of at least 1 / (n · k^(d-1)), however far apart these events are. A uniform choice finds it with a
/// probability that falls exponentially with the distance.
///
/// The strategy is fair: a task that yields again and again goes behind the others, and a task that has waited for very
/// long goes first. Otherwise, a task that spins until another one has done something might keep that one from ever
/// running.
///
/// Source: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of
/// finding bugs", ASPLOS 2010.
struct PriorityStrategy: SchedulingStrategy {
  private var generator: SplitMix64
  private var priorities: [UInt64: UInt64]
  /// A number below the priority of every task; it only decreases.
  private var lowest: UInt64 = 1 << 63
  /// The choices at which the task that would run gets a low priority, the last one first.
  private var changes: [Int]
  private var step = 0
  /// The task that has yielded in the last choices without another one running in between, and the number of yields.
  private var yielding: (task: UInt64, count: Int) = (0, 0)
  /// The task that has waited the longest, and the number of choices it has waited for.
  private var waiting: (task: UInt64, count: Int) = (0, 0)

  private static let patienceWithYields = 100
  /// The number of choices that a task may wait.
  ///
  /// Halved each time a task has waited that long, because a task that spins once will spin again.
  private var patienceWithWaiting = 10_000

  /// - Parameters:
  ///   - depth: the number of events whose order causes the fault.
  ///   - length: the expected number of choices.
  init(seed: UInt64, depth: Int, length: Int) {
    generator = SplitMix64(seed: seed)
    priorities = Dictionary(minimumCapacity: 12)
    changes = []
    for _ in 1..<max(depth, 1) { changes.append(1 + generator.next(below: max(length, 1))) }
    changes.sort(by: >)
  }

  mutating func chooseJob(among runnable: inout RunQueue) -> Int {
    step += 1
    if let starved = starved(among: &runnable) { return starved }
    var choice = best(of: &runnable)
    while let change = changes.last, change <= step {
      changes.removeLast()
      choice = bestButLowered(choice, of: &runnable)
    }
    let entry = runnable[choice]
    let isRepeated = entry.isYield && entry.task == yielding.task
    yielding = (entry.task, isRepeated ? yielding.count + 1 : 0)
    return yielding.count < Self.patienceWithYields ? choice : bestButLowered(choice, of: &runnable)
  }

  mutating func chooseDelay(levels: Int) -> Int { generator.next(below: levels) }
  mutating func choosesFault(_ probability: Double) -> Bool { generator.happens(withProbability: probability) }
  mutating func chooseOutcome(among count: Int) -> Int { generator.next(below: count) }

  /// Returns the job that became runnable first, if the others have had their turns long enough; the job stays in
  /// front.
  private mutating func starved(among runnable: inout RunQueue) -> Int? {
    let first = runnable[0].task
    waiting = (first, first == waiting.task ? waiting.count + 1 : 0)
    guard waiting.count >= patienceWithWaiting else { return nil }
    waiting.count = 0
    patienceWithWaiting = max(patienceWithWaiting / 2, Self.patienceWithYields)
    setPriority(.max, at: 0, of: &runnable)
    return 0
  }

  /// Lowers the best job below all others, including those lowered before, and returns the next best.
  private mutating func bestButLowered(_ index: Int, of runnable: inout RunQueue) -> Int {
    lowest -= 1
    setPriority(lowest, at: index, of: &runnable)
    return best(of: &runnable)
  }

  private mutating func best(of runnable: inout RunQueue) -> Int {
    var best = (index: 0, priority: 0 as UInt64)
    for index in 0..<runnable.count {
      // Stored in the queue, because looking it up would take longer than everything else here.
      if runnable[index].priority == 0 { runnable[index].priority = priority(of: runnable[index].task) }
      let priority = runnable[index].priority
      if priority > best.priority { best = (index, priority) }
    }
    return best.index
  }

  private mutating func setPriority(_ priority: UInt64, at index: Int, of runnable: inout RunQueue) {
    priorities[runnable[index].task] = priority
    runnable[index].priority = priority
  }

  private mutating func priority(of task: UInt64) -> UInt64 {
    if let priority = priorities[task] { return priority }
    let priority = generator.next() | 1 << 63
    priorities[task] = priority
    return priority
  }
}
