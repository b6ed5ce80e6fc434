import Dispatch
import Foundation
import Synchronization

@testable import AsyncStore

/// An executor that runs its jobs at once, on the thread that it gets them from.
final class ImmediateExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Runs its jobs on request, on the thread that requests it; those of the store's time, too.
final class HandExecutor: SimulatedExecutor {
  var hasEnded: Bool { false }
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func countJobs(_ count: Int) {}

  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Runs the newest jobs first, until only so many are left.
  func run(leaving count: Int) {
    while let job = jobs.withLock({ $0.count > count ? $0.removeLast() : nil }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// An executor of a program, all threads of which are blocked until the test has its jobs run.
final class BlockedExecutor: TaskExecutor {
  private let jobs = HandExecutor()

  func enqueue(_ job: consuming ExecutorJob) { jobs.enqueue(job) }
  func run() { jobs.run() }
}

/// An executor with a thread for each of its jobs, so that none waits for another one.
final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Foundation.Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An effect without an end, and an operation that has to begin beside it.
struct EndlessEffect: Sendable {
  private let hasBegun = Note(false)
  /// The number of steps after which it ends all the same.
  var limit = Self.limit

  /// Counts in `other` until the operation has begun, or so long that it can't be waiting for its thread.
  func count() -> JournalStore.Effect {
    .update { state in
      state.other += 1
      return hasBegun.value || state.other > limit ? .none : count()
    }
  }

  func operation() -> JournalStore.Effect {
    .task {
      hasBegun.value = true
      return .log("operation")
    }
  }

  static let limit = 300_000
}

/// Runs an actor's jobs on a queue, and can tell whether a thread is on it.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "executor")
  private let mark = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: mark, value: true) }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
