import AsyncStore

/// Runs the task of the highest priority, with priorities drawn at random, and changed at a few random moments.
///
/// A fault that needs d things to happen in a certain order, its depth, is found with a probability of at least
/// 1 / (n · k^(d-1)) for n tasks and k choices, however far apart these things are; a uniform choice finds it with one that falls
/// exponentially with the distance.
///
/// Source: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
/// bugs", ASPLOS 2010.
struct PriorityStrategy: SchedulingStrategy {
  private var generator: SplitMix64
  private var priorities: [UInt64: UInt64] = [:]
  /// At which choices the task that would run gets a low priority, the last one first.
  private var changes: [Int]
  private var step = 0

  /// - Parameters:
  ///   - depth: how many things have to come in the wrong order.
  ///   - length: how many choices there will be, as far as is known.
  init(seed: UInt64, depth: Int, length: Int) {
    generator = SplitMix64(seed: seed)
    changes = []
    for _ in 1..<max(depth, 1) { changes.append(1 + generator.next(below: max(length, 1))) }
    changes.sort(by: >)
  }

  mutating func chooseJob(among runnable: RunQueue) -> Int {
    step += 1
    var choice = best(of: runnable)
    while let change = changes.last, change <= step {
      changes.removeLast()
      // Below all others, and below those that were lowered before.
      priorities[RuntimeHooks.task(of: runnable[choice].job)] = UInt64(changes.count)
      choice = best(of: runnable)
    }
    return choice
  }

  mutating func chooseDelay(levels: Int) -> Int { generator.next(below: levels) }

  private mutating func best(of runnable: RunQueue) -> Int {
    var best = (index: 0, priority: priority(of: runnable[0].job))
    for index in 1..<runnable.count {
      let priority = priority(of: runnable[index].job)
      if priority > best.priority { best = (index, priority) }
    }
    return best.index
  }

  private mutating func priority(of job: UnownedJob) -> UInt64 {
    let task = RuntimeHooks.task(of: job)
    if let priority = priorities[task] { return priority }
    let priority = generator.next() | 1 << 63
    priorities[task] = priority
    return priority
  }
}
