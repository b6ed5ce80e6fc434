import AsyncStore

/// Which schedules of a body are tried.
public struct Exploration: Sendable {
  /// How the schedule of a seed is chosen.
  public struct Search: Sendable {
    enum Kind { case random, priorities(depth: Int), alternating }

    let kind: Kind

    /// Any runnable job is as likely as the others; finds what needs a switch or two at no particular place.
    public static let random = Search(kind: .random)
    /// Tasks run by random priorities that change `depth - 1` times; finds what needs one task to get far while another
    /// waits.
    public static func priorities(depth: Int) -> Search { Search(kind: .priorities(depth: depth)) }
    /// Both by turns, with depths from 1 to 3.
    public static let alternating = Search(kind: .alternating)
  }

  enum Kind {
    case seeds(Int, first: UInt64, Search)
    case exhaustive(limit: Int)
    case replay(String)
  }

  let kind: Kind

  /// As many schedules as there are seeds; the body's random numbers are different in each.
  ///
  /// The environment variable `ASYNCSTORE_SEEDS` raises the number, for a nightly run.
  ///
  /// - Parameter count: at least one; otherwise this traps, for a test of nothing would pass.
  public static func seeds(_ count: Int, from first: UInt64 = 0, by search: Search = .alternating) -> Exploration {
    trap(unless: count > 0, "An exploration of \(count) schedules would find nothing; try one at least.")
    return Exploration(kind: .seeds(count, first: first, search))
  }

  /// Every schedule there is, for small bodies; the body's random numbers are the same in each.
  ///
  /// - Parameter limit: more schedules than these are a failure, for not all have been tried then. At least one.
  public static func exhaustive(limit: Int = 100_000) -> Exploration {
    trap(unless: limit > 0, "An exploration of \(limit) schedules would find nothing; try one at least.")
    return Exploration(kind: .exhaustive(limit: limit))
  }

  /// One schedule, as a failure printed it.
  ///
  /// The environment variable `ASYNCSTORE_SCHEDULE` does the same for the exploration that it names, and for every one
  /// if it names none.
  public static func replay(_ schedule: String) -> Exploration { Exploration(kind: .replay(schedule)) }
}

/// What an exploration has tried, all of which passed.
public struct ExplorationReport: Hashable, Sendable, CustomStringConvertible {
  /// The number of schedules that were run, those that were kept among them.
  ///
  /// In an exhaustive exploration each counts once.
  public let schedules: Int
  /// Whether these are all there are.
  public let isExhaustive: Bool
  /// The number of schedules with distinct choices; two seeds can lead to the same choices.
  public let distinctSchedules: Int
  /// The number of new schedules among the last thousand.
  ///
  /// A small number says that more seeds of the same kind will find little.
  public let newSchedules: Int

  /// Such as `all 24 schedules pass`.
  public var description: String {
    let noun = schedules == 1 ? "schedule passes" : "schedules pass"
    return isExhaustive ? "all \(schedules) \(noun)" : "\(schedules) \(noun)"
  }
}
