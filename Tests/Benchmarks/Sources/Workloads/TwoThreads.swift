import AsyncStore
import Foundation
import Synchronization

/// P10: two threads that change the state of one store.
struct SharedStore: Workload {
  let name = "P10a"
  let title = "receive(.set) on one store by two threads"
  let counterpart = "Mutex.withLock, the same way"
  let metrics = [Metric(bar: 2)]
  let sizes = [10_000, 100_000, 1_000_000]
  let barSize = 1_000_000

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let time = await TwoThreads.time { _ in
      for _ in 0..<size / 2 { store.receive(.set { $0.count += 1 }) }
    }
    try require(store.state.count, equals: size / 2 * 2)
    return [time.nanoseconds / Double(size)]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let state = Locked(Tally())
    let time = await TwoThreads.time { _ in
      for _ in 0..<size / 2 { state.withLock { $0.count += 1 } }
    }
    try require(state.withLock { $0.count }, equals: size / 2 * 2)
    return [time.nanoseconds / Double(size)]
  }
}

/// P10: two threads that change the state of a store each.
struct StoreForEachThread: Workload {
  let name = "P10b"
  let title = "receive(.set) on a store each by two threads"
  let counterpart = "Mutex.withLock, the same way"
  let metrics = [Metric(bar: 2)]
  let sizes = [10_000, 100_000, 1_000_000]
  let barSize = 1_000_000

  func ours(_ size: Int) async throws -> [Double] {
    let stores = [TallyStore(), TallyStore()]
    let time = await TwoThreads.time { thread in
      let store = stores[thread]
      for _ in 0..<size / 2 { store.receive(.set { $0.count += 1 }) }
    }
    for store in stores { try require(store.state.count, equals: size / 2) }
    return [time.nanoseconds / Double(size)]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let states = [Locked(Tally()), Locked(Tally())]
    let time = await TwoThreads.time { thread in
      let state = states[thread]
      for _ in 0..<size / 2 { state.withLock { $0.count += 1 } }
    }
    for state in states { try require(state.withLock { $0.count }, equals: size / 2) }
    return [time.nanoseconds / Double(size)]
  }
}

/// Two threads that begin at the same time.
private enum TwoThreads {
  private final class Line: Sendable {
    let ready = Atomic(0)
    let finished = Atomic(0)
  }

  /// - Returns: the time from the moment when both threads are running to the end of the later one.
  static func time(_ body: @escaping @Sendable (_ thread: Int) -> Void) async -> Duration {
    let line = Line()
    return await withCheckedContinuation { continuation in
      for number in 0..<2 {
        Thread.detachNewThread {
          line.ready.add(1, ordering: .sequentiallyConsistent)
          while line.ready.load(ordering: .sequentiallyConsistent) < 2 {}
          let watch = Stopwatch()
          body(number)
          guard line.finished.add(1, ordering: .sequentiallyConsistent).newValue == 2 else { return }
          continuation.resume(returning: watch.elapsed)
        }
      }
    }
  }
}
