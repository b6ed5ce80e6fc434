import AsyncStore
import Observation

/// O1: distinct key paths that one tracked closure reads.
struct TrackedReads: Workload {
  let name = "O1"
  let title = "a tracked read by one of many key paths"
  let counterpart = "a dictionary of the values read"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  private struct Rows: Sendable {
    var rows: [Int]
  }

  func ours(_ size: Int) throws -> [Double] {
    let store = AsyncStore(state: Rows(rows: Array(0..<size)), env: ())
    let paths = (0..<size).map { number -> KeyPath<Rows, Int> & Sendable in \.rows[number] }
    let watch = Stopwatch()
    let sum = withObservationTracking {
      paths.reduce(0) { $0 + store[dynamicMember: $1] }
    } onChange: {
    }
    let time = watch.nanoseconds(per: size)
    try require(sum, equals: size * (size - 1) / 2)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let state = Locked(Rows(rows: Array(0..<size)))
    let watch = Stopwatch()
    var reads: [Int: Int] = [:]
    for number in 0..<size { reads[number] = state.withLock { $0.rows[number] } }
    let time = watch.nanoseconds(per: size)
    try require(reads.values.reduce(0, +), equals: size * (size - 1) / 2)
    return [time]
  }
}
