/// The tasks created on the thread that drives a simulation, by number.
///
/// The runtime numbers tasks in order of creation. So most of them are in one range, which ends only where another
/// thread has created a task in between.
struct MadeTasks: Sendable {
  private var ranges: [ClosedRange<UInt64>] = []

  mutating func insert(_ number: UInt64) { insert(number...number) }

  /// Adds the tasks of a simulation that has run inside this one.
  mutating func insert(_ inner: MadeTasks) { for range in inner.ranges { insert(range) } }

  /// - Complexity: constant for a task created after all others.
  private mutating func insert(_ range: ClosedRange<UInt64>) {
    guard let last = ranges.last, range.lowerBound <= last.upperBound + 1 else { return ranges.append(range) }
    if range.lowerBound >= last.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      return
    }
    let first = ranges.countOfFirst { $0.upperBound + 1 < range.lowerBound }
    let end = ranges.countOfFirst { $0.lowerBound <= range.upperBound + 1 }
    let joined = ranges[first..<end].reduce(range) { joined, range in
      min(joined.lowerBound, range.lowerBound)...max(joined.upperBound, range.upperBound)
    }
    ranges.replaceSubrange(first..<end, with: [joined])
  }

  /// Returns whether a task was created here or descends from a task that was, and remembers a descendant.
  ///
  /// Otherwise, a child of `async let`, whose creation nobody sees, would query all of its ancestors each time.
  ///
  /// - Complexity: linear in the number of ancestors below the first known one.
  mutating func contains(_ number: UInt64, below ancestors: some Sequence<UInt64>) -> Bool {
    if contains(number) { return true }
    guard ancestors.contains(where: contains) else { return false }
    insert(number)
    return true
  }

  func contains(_ number: UInt64) -> Bool {
    let index = ranges.countOfFirst { $0.upperBound < number }
    return index < ranges.count && ranges[index].contains(number)
  }
}
