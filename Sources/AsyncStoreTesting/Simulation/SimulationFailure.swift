/// What is wrong with a program, as a simulation found it.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
  /// What kind of fault it is.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// Its name.
    public let description: String

    /// Nothing can run any more, and the body has not ended.
    public static let deadlock = Code(description: "deadlock")
    /// It ran up to a limit and has not ended.
    public static let runaway = Code(description: "runaway")
    /// It ran up to a limit, and ended under a fair schedule from there on: some of its tasks were kept from running.
    public static let starvation = Code(description: "starvation")
    /// Something that should hold in the end never does.
    public static let liveness = Code(description: "liveness")
    /// One of the ``Laws`` is broken.
    public static let law = Code(description: "law")
    /// Something is in flight at the end.
    public static let leak = Code(description: "leak")
    /// Something ran outside of the simulation.
    public static let escape = Code(description: "escape")
    /// A replay did something other than what was recorded.
    public static let divergence = Code(description: "divergence")
    /// A schedule was found under which the body fails.
    public static let failingSchedule = Code(description: "failing schedule")
    /// There are more schedules than were to be tried.
    public static let limitReached = Code(description: "limit reached")
  }

  /// What kind of fault it is.
  public let code: Code
  /// What is wrong, with the effects involved, and what to do about it.
  public let description: String
  /// The schedule under which it happened; a replay of it fails in the same way.
  public let schedule: Schedule?
  /// What makes it the same failure as another one.
  let identity: String

  /// - Parameter details: what there is to tell that is the same each time; by default nothing.
  init(_ code: Code, _ description: String, schedule: Schedule?, details: [String] = []) {
    self.code = code
    self.description = description
    self.schedule = schedule
    identity = ([code.description] + details).joined(separator: "\n")
  }
}
