import CAsyncStoreTesting

/// The jobs that could run now, in the order in which they became runnable.
typealias RunQueue = GapQueue<RunnableJob>

struct RunnableJob: Sendable {
  let job: UnownedJob
  /// True if the job belongs to the main actor.
  let isMain: Bool
  /// True if the job is a task on its way from one actor to another.
  let isSwitch: Bool
  /// The number of the job's task; an actor's job has a number of its own.
  var task: UInt64
  /// True if the job's task has yielded.
  let isYield: Bool
  /// True if the job is a task created without a parent, and without the simulation's executor.
  let isPlain: Bool
  /// True if the job is an actor's turn, in which the actor runs whichever tasks wait for it.
  let isActor: Bool
  /// The task's priority from the strategy, or 0 if it has none yet.
  var priority: UInt64 = 0

  init(_ job: UnownedJob, _ description: AsyncStoreTestingJob, isMain: Bool, isPlain: Bool, isSwitch: Bool = false) {
    self.job = job
    self.isSwitch = isSwitch
    self.isMain = isMain
    self.isPlain = isPlain
    task = description.task
    isYield = description.isYield
    isActor = description.isActor
  }
}
