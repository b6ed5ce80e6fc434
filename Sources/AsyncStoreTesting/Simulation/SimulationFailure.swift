/// A fault of a program, found by a simulation.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
  /// The kind of fault.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    /// Nothing can run any more, but the body has not ended.
    public static let deadlock = Code(description: "deadlock")
    /// The simulation reached a limit and has not ended.
    public static let runaway = Code(description: "runaway")
    /// The simulation reached a limit, and its body ended under a fair schedule from there on: some of its tasks were
    /// kept from running, or the limit is too low.
    public static let starvation = Code(description: "starvation")
    /// A condition that should hold in the end never does.
    public static let liveness = Code(description: "liveness")
    /// One of the ``Laws`` is broken.
    public static let law = Code(description: "law")
    /// Something is in flight at the end.
    public static let leak = Code(description: "leak")
    /// Something ran outside the simulation.
    public static let escape = Code(description: "escape")
    /// A replay did something other than what was recorded.
    public static let divergence = Code(description: "divergence")
    /// A schedule was found under which the body fails.
    public static let failingSchedule = Code(description: "failing schedule")
    /// There are more schedules than the limit.
    public static let limitReached = Code(description: "limit reached")
  }

  /// The kind of fault.
  public let code: Code
  /// The fault in words, with the effects involved and what to do about it.
  public let description: String
  /// The schedule of the failure; replaying it fails in the same way.
  public let schedule: Schedule?
  /// The identity of the failure, for comparison with others.
  let identity: String

  /// - Parameter details: the parts of the report that are the same each time; by default none.
  init(_ code: Code, _ description: String, schedule: Schedule?, details: [String] = []) {
    self.code = code
    self.description = description
    self.schedule = schedule
    identity = ([code.description] + details).joined(separator: "\n")
  }
}
