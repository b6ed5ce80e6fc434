/// Counts the distinct interleavings of an exploration.
struct Coverage {
  private var seen: Set<UInt64> = []
  /// For each of the last interleavings, true if it was new.
  private var recent: [Bool] = []
  private var count = 0

  static let window = 1_000

  var distinct: Int { seen.count }
  /// The number of new interleavings among the last thousand.
  var newOnes: Int { recent.count { $0 } }

  mutating func insert(_ schedule: Schedule) {
    let isNew = seen.insert(schedule.digest).inserted
    if recent.count < Self.window { recent.append(isNew) } else { recent[count % Self.window] = isNew }
    count += 1
  }
}

extension Schedule.Choice.Kind {
  fileprivate var number: Int {
    switch self {
    case .job: 0
    case .wake: 1
    case .fault: 2
    }
  }
}

extension Schedule {
  /// A hash of the choices, which does not depend on the seed; different choices have different hashes with high
  /// probability.
  fileprivate var digest: UInt64 {
    choices.reduce(0xcbf2_9ce4_8422_2325) { digest, choice in
      (digest ^ UInt64(truncatingIfNeeded: choice.index << 2 | choice.kind.number)) &* 0x0000_0100_0000_01b3
    }
  }
}
