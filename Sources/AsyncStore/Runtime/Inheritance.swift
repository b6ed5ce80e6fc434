/// The task-local values and the priority that a tree's operations inherit from its receiver.
///
/// It is generic over the task that holds them, so that its tests need none. It returns what its owner has to do.
///
/// | case | meaning | left by |
/// |---|---|---|
/// | `nothing` | nothing is kept, or nothing of the tree is alive any more | `keep` |
/// | `parked` | a task holds the receiver's task-local values and priority | `take`, `end` |
/// | `inUse` | a thread is using that task up, and makes the next one first | `replace` |
enum Inheritance<Parked> {
  case nothing
  case parked(Parked)
  case inUse

  var isNothing: Bool { if case .nothing = self { true } else { false } }

  /// Keeps a task, the first one.
  ///
  /// - Returns: the task if it is not needed, to be discarded.
  mutating func keep(_ parked: Parked) -> Parked? {
    guard isNothing else { return parked }
    self = .parked(parked)
    return nil
  }

  /// Takes the task, which the caller uses up, and replaces by a new one with the same values.
  ///
  /// - Returns: what was here, and the task if there was one. Another thread's use is over in a moment.
  mutating func take() -> Self {
    let found = self
    if case .parked = self { self = .inUse }
    return found
  }

  /// Ends the use.
  ///
  /// - Parameters:
  ///   - next: a task with the same values, which was made while the used one ran.
  ///   - isNeeded: true if anything of the tree is alive.
  /// - Returns: the task if it is not needed.
  mutating func replace(by next: Parked, isNeeded: Bool) -> Parked? {
    guard case .inUse = self else { preconditionFailure("an inheritance is replaced that is not in use") }
    self = isNeeded ? .parked(next) : .nothing
    return isNeeded ? nil : next
  }

  /// Records that nothing of the tree is alive any more; a thread that is using the task then discards the next one.
  ///
  /// - Returns: the task that was parked, to be discarded.
  mutating func end() -> Parked? {
    guard case .parked(let parked) = self else { return nil }
    self = .nothing
    return parked
  }
}

extension Inheritance: Equatable where Parked: Equatable {}
