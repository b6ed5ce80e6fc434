/// Every choice that a simulation made: enough to run it again, step for step.
///
/// It prints as one word and is read back from it. Each choice keeps out of how many it was made, so that a replay can say at
/// which choice the program did something else.
///
/// ```swift
/// let schedule = Schedule("7:0/2*3-1/4-w2/3")
/// // schedule?.count == 5
/// // schedule?.description == "7:0/2*3-1/4-w2/3"
/// ```
///
/// Schedules differ between builds: replay one with the build that printed it.
public struct Schedule: Hashable, Sendable {
  /// One choice among several.
  struct Choice: Hashable, Sendable {
    enum Kind: Character { case job = "j", wake = "w" }

    var kind: Kind
    var index: Int
    let count: Int
  }

  /// What the simulation's random numbers start from.
  public let seed: UInt64
  var choices: [Choice]

  /// How many choices were made.
  public var count: Int { choices.count }

  /// How many of them were other than the ordinary: to run what could run first, and to wake on time.
  public var switches: Int { choices.count { $0.index != 0 } }
}

extension Schedule: LosslessStringConvertible {
  /// The seed, a colon, and the choices: `index/count`, behind a `w` if it was about a wake, with `*n` for n in a row.
  public var description: String {
    var words: [String] = []
    var next = 0
    while next < choices.count {
      let choice = choices[next]
      let run = choices[next...].prefix { $0 == choice }.count
      let prefix = choice.kind == .wake ? "w" : ""
      words.append("\(prefix)\(choice.index)/\(choice.count)" + (run > 1 ? "*\(run)" : ""))
      next += run
    }
    return "\(seed):" + words.joined(separator: "-")
  }

  /// Reads a schedule as ``description`` prints it; `nil` if it is none.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seed = UInt64(parts[0]) else { return nil }
    self.seed = seed
    choices = []
    for word in parts[1].isEmpty ? [] : parts[1].split(separator: "-", omittingEmptySubsequences: false) {
      let kind = word.first == "w" ? Choice.Kind.wake : .job
      let numbers = word.drop { $0 == "w" }.split(separator: "*", omittingEmptySubsequences: false)
      let fraction = numbers[0].split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard fraction.count == 2, let index = fraction[0], let count = fraction[1], count > 1, 0..<count ~= index else {
        return nil
      }
      guard numbers.count <= 2, let run = numbers.count == 2 ? Int(numbers[1]) : 1, 1...1_000_000 ~= run else {
        return nil
      }
      choices += Array(repeating: Choice(kind: kind, index: index, count: count), count: run)
    }
  }
}

extension Schedule {
  /// Where and how a replay did something else than this schedule; `nil`: nowhere.
  func divergence(of replay: Schedule) -> String? {
    for (index, (old, new)) in zip(choices, replay.choices).enumerated()
    where old.kind != new.kind || old.count != new.count {
      return "at choice \(index + 1) there were \(new.words), and \(old.words) when it was recorded"
    }
    if count == replay.count { return nil }
    return "there were \(replay.count) choices to make, and \(count) when it was recorded"
  }
}

extension Schedule.Choice {
  fileprivate var words: String {
    switch kind {
    case .job: "\(count) runnable jobs"
    case .wake: "\(count) moments to wake a sleeper at"
    }
  }
}
