/// The tasks that were made on the thread that drives a simulation, by their numbers.
///
/// The runtime numbers tasks in the order in which they are made. So most of them are in one range, which ends only
/// where another thread has made a task in between.
struct MadeTasks: Sendable {
  private var ranges: [ClosedRange<UInt64>] = []

  /// - Parameter number: none that is lower than one before.
  mutating func insert(_ number: UInt64) { insert(number...number) }

  /// Adds the tasks of a simulation that has run inside of this one; meanwhile this one has made none.
  mutating func insert(_ inner: MadeTasks) { for range in inner.ranges { insert(range) } }

  private mutating func insert(_ range: ClosedRange<UInt64>) {
    guard let last = ranges.last, range.lowerBound <= last.upperBound + 1 else { return ranges.append(range) }
    ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
  }

  func contains(_ number: UInt64) -> Bool {
    let index = ranges.countOfFirst { $0.upperBound < number }
    return index < ranges.count && ranges[index].contains(number)
  }
}
