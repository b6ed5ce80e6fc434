import AsyncStore
import Observation

/// D1: a state with a megabyte in an array, of which each commit changes one element.
///
/// A copy of the array would be a thousand times the rest, and its memory is checked to be the same one all along.
struct DeepState: Workload {
  let name = "D1"
  let title = "a commit to an array of 1 MB; with another property observed; bound"
  let counterpart = "Mutex.withLock with the same closure; and an equality check"
  let metrics = [Metric(name: "commit"), Metric(name: "observed"), Metric(name: "bound")]
  let sizes = [100, 1_000, 10_000]
  let barSize = 10_000

  private struct Document: Sendable {
    var numbers = Array(repeating: 0, count: 131_072)
    var title = 0

    mutating func change(_ number: Int) { numbers[number % numbers.count] += 1 }
    /// The address of the array's elements.
    var place: UInt { numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
  }

  func ours(_ size: Int) throws -> [Double] {
    let store = AsyncStore(state: Document(), env: ())
    let place = store.withState { $0.place }
    func commits() -> Double {
      let watch = Stopwatch()
      for number in 0..<size { store.receive(.set { $0.change(number) }) }
      return watch.nanoseconds(per: size)
    }
    let plain = commits()
    let changes = Locked(0)
    let title = withObservationTracking {
      store.title
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    let observed = commits()
    let bound = TallyStore()
    bound.bind(id: "title", to: store, on: \.title) { title in .set(\.count, to: title) }
    let whileBound = commits()
    try require(title + bound.state.count + changes.withLock { $0 }, equals: 0)
    try require(store.withState { $0.place == place }, "the array was copied")
    return [plain, observed, whileBound]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let state = Locked(Document())
    let last = Locked(0)
    func commits(_ observers: Int) throws -> Double {
      let watch = Stopwatch()
      for number in 0..<size {
        let title = state.withLock { document in
          document.change(number)
          return document.title
        }
        for _ in 0..<observers { try require(last.withLock { $0 == title }, "the title has changed") }
      }
      return watch.nanoseconds(per: size)
    }
    return [try commits(0), try commits(1), try commits(2)]
  }
}
