import CAsyncStoreTesting

/// All choices that a simulation made, which are enough to run it again, step for step.
///
/// A schedule prints as one word and is read back from that word. Each choice keeps the number of its possibilities, so
/// that a replay can detect the choice at which the program did something else. Groups of tasks print in few
/// characters: `0/1000~999` are the choices among a thousand tasks, then 999, down to two.
///
/// ```swift
/// let schedule = Schedule("7:0/2*3-1/4-w2/3")
/// // schedule?.count == 5
/// // schedule?.description == "7:0/2*3-1/4-w2/3"
/// ```
///
/// Schedules differ between builds: replay a schedule with the build that printed it.
public struct Schedule: Hashable, Sendable {
  /// One choice among several.
  struct Choice: Hashable, Sendable {
    enum Kind: Character { case job = "j", wake = "w", fault = "f" }

    var kind: Kind
    var index: Int
    let count: Int
  }

  /// The seed of the simulation's random numbers.
  public let seed: UInt64
  var choices: [Choice]

  /// The number of choices.
  public var count: Int { choices.count }

  /// The number of choices other than the default ones, which run the first runnable job, wake on time, and have no
  /// fault.
  public var switchCount: Int { choices.count { $0.index != 0 } }
}

extension Schedule: LosslessStringConvertible {
  /// The seed, a colon, and the choices.
  ///
  /// A choice is `index/count`, with a `w` before it if it is about a wake, and an `f` if it is about a fault. `/count`
  /// is omitted if it is one less than in the previous choice of the same kind. A suffix `*n` stands for n equal
  /// choices in a row, and `~n` for n in a row whose counts descend by one. `n` is at most a million.
  public var description: String {
    var words: [String] = []
    var next = 0
    while next < choices.count {
      let choice = choices[next]
      let rest = choices[next...].prefix(Self.longestRun)
      let same = rest.prefix { $0 == choice }.count
      let descending = zip(rest, 0...).prefix { $0.0 == choice.descended(by: $0.1) }.count
      let count = next > 0 && choice.follows(choices[next - 1]) ? "" : "/\(choice.count)"
      let run = descending > max(same, 2) ? "~\(descending)" : same > 1 ? "*\(same)" : ""
      words.append("\(choice.kind.prefix)\(choice.index)\(count)\(run)")
      next += descending > max(same, 2) ? descending : same
    }
    return "\(seed):" + words.joined(separator: "-")
  }

  /// Reads a schedule in the form of ``description``; returns `nil` if the text is not a schedule, or has more than 20
  /// million choices.
  public init?(_ description: String) {
    do { try self.init(reading: description) } catch { return nil }
  }

  /// The reason why a text can't be read.
  enum Unreadable: Error { case malformed, tooLong }

  init(reading description: String) throws(Unreadable) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seed = UInt64(parts[0]) else { throw .malformed }
    self.seed = seed
    var runs: [Run] = []
    for word in parts[1].isEmpty ? [] : parts[1].split(separator: "-", omittingEmptySubsequences: false) {
      guard let run = Run(word, after: runs.last?.last) else { throw .malformed }
      runs.append(run)
    }
    guard runs.reduce(0, { $0 + $1.length }) <= Self.mostChoices else { throw .tooLong }
    choices = runs.flatMap(\.choices)
  }

  /// The maximum number of choices that one word stands for.
  private static let longestRun = Int(asyncStoreTesting_longestRun)
  /// The maximum number of choices that are read; they take half a gigabyte.
  static let mostChoices = Int(asyncStoreTesting_mostChoices)

  /// Several choices in a row, as one word.
  private struct Run {
    private let first: Choice
    private let isDescending: Bool
    let length: Int

    var choices: some Sequence<Choice> { (0..<length).lazy.map { choice($0) } }
    var last: Choice { choice(length - 1) }

    private func choice(_ index: Int) -> Choice { isDescending ? first.descended(by: index) : first }

    init?(_ word: Substring, after last: Choice?) {
      let kind = word.first.flatMap { Choice.Kind(rawValue: $0) } ?? .job
      let parts = word.dropFirst(kind.prefix.count).split(omittingEmptySubsequences: false) { $0 == "*" || $0 == "~" }
      let numbers = parts[0].split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count <= 2, numbers.count <= 2, let index = numbers[0] else { return nil }
      guard let count = numbers.count == 2 ? numbers[1] : last.flatMap({ $0.kind == kind ? $0.count - 1 : nil }) else {
        return nil
      }
      guard let length = parts.count == 2 ? Int(parts[1]) : 1, 1...longestRun ~= length else { return nil }
      let isDescending = word.contains("~")
      guard count > 1, !isDescending || count > length, 0..<(isDescending ? count - length + 1 : count) ~= index else {
        return nil
      }
      first = Choice(kind: kind, index: index, count: count)
      (self.isDescending, self.length) = (isDescending, length)
    }
  }
}

extension Schedule.Choice.Kind {
  /// The letter in front of a choice; choices of jobs have none.
  fileprivate var prefix: String { self == .job ? "" : String(rawValue) }
}

extension Schedule.Choice {
  /// Returns the same choice among fewer possibilities.
  fileprivate func descended(by steps: Int) -> Self { Self(kind: kind, index: index, count: count - steps) }

  /// Returns whether the choice continues a run of choices, each among one fewer.
  fileprivate func follows(_ last: Self) -> Bool { kind == last.kind && count == last.count - 1 }
}

extension Schedule {
  /// Returns a description of where a replay differs from this schedule, or `nil` if it does not differ.
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
    case .fault: "\(count) outcomes of a fault"
    }
  }
}
