import Synchronization

/// The task-local value that identifies the simulation that a task runs in.
///
/// Tasks that begin on an actor, immediate tasks and tasks with an executor of their own are not enqueued where a
/// scheduler would see that they are new. But each task that is neither a child nor detached copies the task-local
/// values of its creator, and releases them when it returns. So the number of references to the token shows whether
/// there are any such tasks.
struct Membership: Sendable {
  fileprivate final class Token: Sendable {}

  @TaskLocal static var current: Membership?

  let simulation: Simulation
  private let token: Token

  fileprivate init(_ simulation: Simulation, _ token: Token) {
    self.simulation = simulation
    self.token = token
  }
}

/// The tasks of one simulation that hold its ``Membership``.
final class Members: Sendable {
  private let token = Mutex(Membership.Token())

  /// True if no task has a membership; read it only while none of them runs.
  var isEmpty: Bool { token.withLock { isKnownUniquelyReferenced(&$0) } }

  /// Runs `body`; the tasks that it creates, and those that they create, belong to the simulation.
  func add<Result>(to simulation: Simulation, makingTasks body: () -> Result) -> Result {
    Membership.$current.withValue(Membership(simulation, token.withLock { $0 }), operation: body)
  }
}
