import CAsyncStoreTesting

/// The jobs that could run now, in the order in which they became runnable.
typealias RunQueue = Line<RunnableJob>

struct RunnableJob: Sendable {
  let job: UnownedJob
  /// Whether it belongs to the main actor.
  let isMain: Bool
  /// The number of the task that it belongs to; for an actor's job one of its own.
  var task: UInt64
  /// Whether its task has yielded.
  let isYield: Bool
  /// Whether it is a task that was made by itself, and without the simulation's executor.
  let isPlain: Bool
  /// Whether it is an actor's turn, in which the actor runs whichever tasks wait for it.
  let isActor: Bool
  /// The priority that the strategy gave to the task; 0 if none yet.
  var priority: UInt64 = 0

  init(_ job: UnownedJob, _ description: AsyncStoreTestingJob, isMain: Bool, isPlain: Bool) {
    self.job = job
    self.isMain = isMain
    self.isPlain = isPlain
    task = description.task
    isYield = description.isYield
    isActor = description.isActor
  }
}
