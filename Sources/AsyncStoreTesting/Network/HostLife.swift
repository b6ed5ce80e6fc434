import AsyncStore
import Synchronization

/// One life of a host, from its start to its crash, with everything that ends with it.
final class HostLife: Sendable {
  private struct State {
    var isUp = true
    var tasks: [Int: Task<Void, any Error>] = [:]
    var taskCount = 0
    var stores: [AnyAsyncStore] = []
  }

  let name: String
  private let state = Mutex(State())

  init(_ name: String) { self.name = name }

  var isUp: Bool { state.withLock { $0.isUp } }

  /// The number of tasks that have not returned.
  var taskCount: Int { state.withLock { $0.tasks.count } }

  func append(_ store: AnyAsyncStore) {
    let isUp = state.withLock { state in
      if state.isUp { state.stores.append(store) }
      return state.isUp
    }
    if !isUp { store.crash() }
  }

  /// Starts a task, which is cancelled with this life.
  ///
  /// - Parameter fail: called with the error of a task that failed while the host was up.
  func start(
    in simulation: Simulation, _ operation: @escaping @Sendable () async throws -> Void,
    fail: @escaping @Sendable (any Error) -> Void
  ) -> Task<Void, any Error> {
    let number = state.withLock { state in
      state.taskCount += 1
      return state.taskCount
    }
    let task = simulation.makingTasks {
      Task(executorPreference: simulation.scheduler) {
        defer { self.state.withLock { $0.tasks[number] = nil } }
        do {
          // The host may have crashed before the task's first job.
          guard self.isUp else { throw CancellationError() }
          try await operation()
        } catch {
          if self.isUp, !Task.isCancelled { fail(error) }
          throw error
        }
      }
    }
    // The task runs later, on the simulation's thread.
    let isUp = state.withLock { state in
      state.tasks[number] = task
      return state.isUp
    }
    if !isUp { task.cancel() }
    return task
  }

  /// Ends everything; a second call does nothing.
  ///
  /// - Returns: true if the host was up.
  func end() -> Bool {
    let (wasUp, tasks, stores) = state.withLock { state in
      defer {
        state.isUp = false
        state.stores = []
      }
      return (state.isUp, state.tasks.sorted { $0.key < $1.key }.map(\.value), state.stores)
    }
    guard wasUp else { return false }
    for store in stores { store.crash() }
    for task in tasks { task.cancel() }
    return true
  }
}
