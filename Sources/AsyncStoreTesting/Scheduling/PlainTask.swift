import CAsyncStoreTesting

/// A task created in a simulation without a parent, and so without the simulation's executor.
///
/// The task is kept in memory until it is known to have returned.
struct PlainTask: Sendable {
  /// The function that created the task, if origins are recorded.
  let origin: CodePlace?
  /// The task itself; any thread may retain it and check whether it has ended, and nothing else is done with it.
  private nonisolated(unsafe) let task: Unmanaged<AnyObject>

  /// - Parameter job: the task itself, and no other job.
  init(_ job: UnownedJob, origin: CodePlace?) {
    self.origin = origin
    // A task is an object, and its job is the pointer to that object.
    task = Unmanaged<AnyObject>.fromOpaque(RuntimeHooks.pointer(to: job)).retain()
  }

  var pointer: UnsafeMutableRawPointer { task.toOpaque() }
  /// The number of the task, which is unique in a process.
  var number: UInt64 { asyncStoreTesting_number(task.toOpaque()) }
  var hasEnded: Bool { asyncStoreTesting_hasEnded(task.toOpaque()) }

  func cancel() { asyncStoreTesting_cancel(task.toOpaque()) }

  func release() { task.release() }
}

/// The plain tasks of a simulation that are not known to have returned, by number.
///
/// A task that has ended holds its result, which belongs to the user, so it is released after the scheduler's lock.
struct PlainTaskList: Sendable {
  private var tasks: [UInt64: PlainTask] = [:]
  /// The tasks that have been removed, for the caller to release after the lock.
  private var removed: [PlainTask] = []
  /// The count at which ended tasks are removed.
  private var limit = 64

  func contains(_ number: UInt64) -> Bool { tasks[number] != nil }
  func origin(of number: UInt64) -> CodePlace? { tasks[number]?.origin }

  /// The tasks that have not returned, in order of creation.
  var running: [PlainTask] { tasks.sorted { $0.key < $1.key }.map(\.value).filter { !$0.hasEnded } }

  mutating func insert(_ job: UnownedJob, _ number: UInt64, findsOrigin: Bool) {
    guard tasks[number] == nil else { return }
    tasks[number] = PlainTask(job, origin: findsOrigin ? CodePlace.caller() : nil)
    guard tasks.count > limit else { return }
    for number in Array(tasks.keys) { removeIfEnded(number) }
    limit = max(64, tasks.count * 2)
  }

  mutating func removeIfEnded(_ number: UInt64) {
    guard let task = tasks[number], task.hasEnded else { return }
    tasks[number] = nil
    removed.append(task)
  }

  mutating func removeAll() {
    removed += tasks.values
    tasks = [:]
  }

  mutating func takeRemoved() -> [PlainTask] {
    if removed.isEmpty { return [] }
    defer { removed = [] }
    return removed
  }
}
