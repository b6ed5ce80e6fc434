/// The task-local values and the priority that a tree's operations inherit from its receiver.
///
/// It is generic over the task that holds them, so that its tests need none. It returns what its owner has to do.
///
/// | case | meaning | left by |
/// |---|---|---|
/// | `nothing` | nothing is kept, or nothing of the tree is alive any more | `keep` |
/// | `parked` | a task holds the receiver's task-local values and priority | `take`, `end` |
/// | `inUse` | a thread is using that task up; it also runs the heirs that come meanwhile | `replace` |
///
/// `Parked` is the type of the task, `Heir` that of the code that runs with its values.
enum Inheritance<Parked, Heir> {
  case nothing
  case parked(Parked)
  case inUse(heirs: [Heir])

  /// The place where an heir runs.
  enum Place {
    /// On this thread as it is.
    case here
    /// On this thread with the values of this task, which is used up; a new task with the same values replaces it.
    case with(Parked)
    /// On the thread that is using the task.
    case elsewhere
  }

  var isNothing: Bool { if case .nothing = self { true } else { false } }

  /// Keeps a task, the first one.
  ///
  /// - Returns: the task if it is not needed, to be discarded.
  mutating func keep(_ parked: Parked) -> Parked? {
    guard isNothing else { return parked }
    self = .parked(parked)
    return nil
  }

  /// Takes the task for an heir, or leaves the heir to the thread that has it.
  mutating func take(for heir: Heir) -> Place {
    switch self {
    case .nothing:
      return .here
    case .parked(let parked):
      self = .inUse(heirs: [])
      return .with(parked)
    case .inUse(var heirs):
      // Taken out of `self` first, so that the array is not copied.
      self = .nothing
      heirs.append(heir)
      self = .inUse(heirs: heirs)
      return .elsewhere
    }
  }

  /// Ends the use.
  ///
  /// - Parameters:
  ///   - next: a task with the same values, which was made while the used one ran.
  ///   - isNeeded: true if anything of the tree is alive.
  /// - Returns: the task if it is not needed, and the heirs that have come meanwhile.
  mutating func replace(by next: Parked, isNeeded: Bool) -> (superfluous: Parked?, heirs: [Heir]) {
    guard case .inUse(let heirs) = self else { preconditionFailure("an inheritance is replaced that is not in use") }
    self = isNeeded ? .parked(next) : .nothing
    return (isNeeded ? nil : next, heirs)
  }

  /// Records that nothing of the tree is alive any more; a thread that is using the task then discards it.
  ///
  /// - Returns: the task that was parked, to be discarded.
  mutating func end() -> Parked? {
    guard case .parked(let parked) = self else { return nil }
    self = .nothing
    return parked
  }
}

extension Inheritance.Place: Equatable where Parked: Equatable {}
