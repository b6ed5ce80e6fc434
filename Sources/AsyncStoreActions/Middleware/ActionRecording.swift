import AsyncStore

/// A log that is being written, at a stable address.
///
/// `@unchecked`: touched only while the store is locked.
final class ActionRecording<State: Model>: @unchecked Sendable {
  var log: ActionLog<State>
  /// A state that the log leads to, and its index; set by a change that no action made.
  ///
  /// Computing the state again would cost as much as replaying the log from the last kept state.
  var known: (index: Int, state: State)?
  /// The number of times that changes were dropped from the end.
  private(set) var dropCount = 0
  /// The drops whose index no later drop goes below, oldest first, so that their indices increase.
  ///
  /// Only the last drop before the log's first state counts.
  private(set) var drops: [(number: Int, index: Int)] = []

  init(_ log: ActionLog<State>) { self.log = log }

  /// Drops the changes from an index on.
  func removeAll(from index: Int, _ released: inout ReleasedValues) {
    log.removeAll(from: index, &released)
    dropCount += 1
    while let last = drops.last, last.index >= index { drops.removeLast() }
    drops.append((dropCount, index))
    while drops.count > 1, drops[1].index < log.indices.lowerBound { drops.removeFirst() }
  }

  /// Returns whether the log still has a state that it had after a number of drops.
  func hasKeptState(at index: Int, since dropCount: Int) -> Bool {
    let lowest = drops.first { $0.number > dropCount }?.index ?? .max
    return index <= lowest && log.hasState(at: index)
  }

  /// Returns whether the log leads to a state, at its end or at the index that it was set back to.
  ///
  /// - Parameter released: receives the states and effects that are no longer needed.
  func leads(to state: State, at travelled: Int?, _ released: inout ReleasedValues) -> Bool {
    let index = travelled ?? log.indices.upperBound
    if let known, known.index == index { return repeats(known.state, state) }
    guard let before = log.state(at: index, &released) else { return false }
    guard repeats(before, state) else {
      released.append(before)
      return false
    }
    if let known { released.append(known.state) }
    known = (index, before)
    return true
  }
}
