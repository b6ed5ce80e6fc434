import AsyncStore

/// The schedules under which an exploration tries a body.
public struct Exploration: Sendable {
  /// The way in which a seed's schedule is chosen.
  public struct Search: Sendable {
    enum Kind { case random, priorities(depth: Int), alternating }

    let kind: Kind

    /// Chooses any runnable job with the same probability; finds faults that need one or two switches, anywhere.
    public static let random = Search(kind: .random)
    /// Runs tasks by random priorities that change `depth - 1` times; finds faults that need one task to get far while
    /// another waits.
    ///
    /// - Parameter depth: at least 1, otherwise traps.
    public static func priorities(depth: Int) -> Search {
      trap(unless: depth > 0, "Priorities can't change \(depth - 1) times; the depth must be at least 1.")
      return Search(kind: .priorities(depth: depth))
    }
    /// Alternates between the two, with depths from 1 to 3.
    public static let alternating = Search(kind: .alternating)
  }

  enum Kind {
    case seeds(Int, first: UInt64, Search)
    case exhaustive(limit: Int)
    case replay(String)
  }

  let kind: Kind

  /// Tries as many schedules as there are seeds; the body's random numbers differ in each.
  ///
  /// The environment variable `ASYNCSTORE_SEEDS` raises the number, for a nightly run. If its value is not a number,
  /// every exploration fails.
  ///
  /// - Parameters:
  ///   - count: at least one, otherwise traps, because a test of nothing would pass.
  ///   - first: the first seed; the others follow it.
  ///   - search: how schedules are drawn from seeds.
  public static func seeds(_ count: Int, from first: UInt64 = 0, by search: Search = .alternating) -> Exploration {
    trap(unless: count > 0, "An exploration of \(count) schedules would find nothing; try at least one.")
    return Exploration(kind: .seeds(count, first: first, search))
  }

  /// Tries every schedule, for small bodies; the body's random numbers are the same in each.
  ///
  /// These are all schedules of the switches that a simulation sees; the module's overview lists the switches that it
  /// does not see.
  ///
  /// - Parameter limit: the maximum number of schedules, at least 1, otherwise traps. If there are more schedules, the
  ///   exploration fails, because it can't try them all.
  public static func exhaustive(limit: Int = 100_000) -> Exploration {
    trap(unless: limit > 0, "An exploration of \(limit) schedules would find nothing; try at least one.")
    return Exploration(kind: .exhaustive(limit: limit))
  }

  /// Tries one schedule, given as the text that a failure printed, or as the path of the file that it printed.
  ///
  /// The environment variable `ASYNCSTORE_SCHEDULE` does the same for the exploration that it names, and for every
  /// exploration if it names none.
  public static func replay(_ schedule: String) -> Exploration { Exploration(kind: .replay(schedule)) }
}

extension Exploration.Search {
  /// Returns the strategy of one schedule.
  ///
  /// - Parameters:
  ///   - index: the number of schedules before it.
  ///   - length: the maximum number of choices that a schedule has had so far.
  func strategy(_ index: Int, seed: UInt64, length: Int) -> any SchedulingStrategy {
    switch kind {
    case .random: RandomStrategy(seed: seed)
    case .priorities(let depth): PriorityStrategy(seed: seed, depth: depth, length: length)
    case .alternating:
      index % 2 == 0
        ? RandomStrategy(seed: seed) : PriorityStrategy(seed: seed, depth: index / 2 % 3 + 1, length: length)
    }
  }
}

/// The result of an exploration in which all schedules passed.
public struct ExplorationReport: Hashable, Sendable, CustomStringConvertible {
  /// The number of schedules that were run, including kept ones.
  ///
  /// In an exhaustive exploration, each counts once.
  public let scheduleCount: Int
  /// True if these are all schedules of the body.
  public let isExhaustive: Bool
  /// The number of schedules with distinct choices; two seeds can lead to the same choices.
  public let distinctScheduleCount: Int
  /// The number of new schedules among the last thousand.
  ///
  /// A small number indicates that more seeds of the same kind will find little.
  public let newScheduleCount: Int

  /// A summary, such as `all 24 schedules pass`.
  public var description: String {
    let noun = scheduleCount == 1 ? "schedule passes" : "schedules pass"
    return isExhaustive ? "all \(scheduleCount) \(noun)" : "\(scheduleCount) \(noun)"
  }
}
