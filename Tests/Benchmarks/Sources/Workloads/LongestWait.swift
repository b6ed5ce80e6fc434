import AsyncStore
import Foundation
import Synchronization

/// L3: the longest time that a reader waits for the lock, while another thread runs one long effect.
struct LongestWait: Workload {
  let name = "L3"
  let title = "the longest read beside a receive(.concatenate) of so many sets"
  let counterpart = "beside a loop that takes the mutex for each"
  let metrics = [Metric(unit: "us")]
  let sizes = [10_000, 100_000, 1_000_000]
  let barSize = 1_000_000
  let quickSize = 10_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let effect = TallyStore.Effect.concatenate(effects: (0..<size).map { _ in .set { $0.count += 1 } })
    let longest = await Self.longestRead {
      store.withState { $0.count }
    } beside: {
      store.receive(effect)
    }
    try require(store.state.count, equals: size)
    return [longest / .microseconds(1)]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let state = Locked(Tally())
    let longest = await Self.longestRead {
      state.withLock { $0.count }
    } beside: {
      for _ in 0..<size { state.withLock { $0.count += 1 } }
    }
    try require(state.withLock { $0.count }, equals: size)
    return [longest / .microseconds(1)]
  }

  private static func longestRead(
    _ read: @escaping @Sendable () -> Int, beside body: @escaping @Sendable () -> Void
  ) async -> Duration {
    await withCheckedContinuation { continuation in
      let shared = Flags()
      Thread.detachNewThread {
        var longest = Duration.zero
        while !shared.hasEnded.load(ordering: .acquiring) {
          let start = ContinuousClock.now
          _ = read()
          longest = max(longest, start.duration(to: .now))
          shared.hasStarted.store(true, ordering: .releasing)
        }
        continuation.resume(returning: longest)
      }
      Thread.detachNewThread {
        while !shared.hasStarted.load(ordering: .acquiring) {}
        body()
        shared.hasEnded.store(true, ordering: .releasing)
      }
    }
  }

  private final class Flags: Sendable {
    let hasStarted = Atomic(false)
    let hasEnded = Atomic(false)
  }
}
