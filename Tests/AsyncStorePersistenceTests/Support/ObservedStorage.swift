import AsyncStorePersistence
import Foundation
import Synchronization

@testable import AsyncStore

/// A storage that calls the test at each write, before the data is there.
final class ObservedStorage: Storage {
  private struct State {
    var data: Data?
    var counts: [Int] = []
  }

  let name = "observed"
  private let state = Mutex(State())
  private let willWrite: @Sendable () -> Void

  init(_ willWrite: @escaping @Sendable () -> Void) { self.willWrite = willWrite }

  /// The number of books in each library that has been written.
  var counts: [Int] { state.withLock { $0.counts } }

  func read() -> Data? { state.withLock { $0.data } }

  func write(_ data: Data) throws {
    willWrite()
    let content = data[((data.firstIndex(of: 0x0A) ?? data.startIndex) + 1)...]
    let count = try JSONDecoder().decode(Library.self, from: content).books.count
    state.withLock { state in
      state.data = data
      state.counts.append(count)
    }
  }
}

/// Runs its jobs on request, on the thread that requests it.
final class JobList: SimulatedExecutor {
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
}
