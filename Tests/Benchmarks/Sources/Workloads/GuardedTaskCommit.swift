import AsyncStore
import Synchronization

/// P2 beside the least that gives the same guarantees by hand.
struct GuardedTaskCommit: Workload {
  let name = "P2/guarded"
  let title = "the same tasks, beside a store by hand with the same guarantees"
  let counterpart = "operations as values, a handle to wait and to cancel by, no commit after a cancel"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func ours(_ size: Int) async throws -> [Double] { try await TaskCommit().ours(size) }

  func baseline(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let store = GuardedStore(Tally(goal: size, gate: gate))
    let watch = Stopwatch()
    for _ in 0..<size { store.receive(GuardedStore.Operation { .set { $0.add() } }) }
    await gate.opened()
    let time = watch.nanoseconds(per: size)
    let isCancelled = Gate()
    let late = store.receive(
      GuardedStore.Operation {
        await isCancelled.opened()
        return .set { $0.add() }
      })
    if let late {
      store.cancel(late)
      isCancelled.open()
      await late.task.value
    }
    try require(store.withState { $0.count }, equals: size)
    return [time]
  }
}

/// A store by hand with these guarantees alone: without identifiers, composition and observers.
private final class GuardedStore<State: Sendable>: Sendable {
  enum Answer: Sendable {
    case nothing
    case set(@Sendable (inout State) -> Void)
  }

  /// An operation as a value, which can be kept and passed on.
  final class Operation: Sendable {
    let body: @Sendable () async throws -> Answer
    init(_ body: @escaping @Sendable () async throws -> Answer) { self.body = body }
  }

  /// One operation in flight; to wait for it, await the task's value.
  struct Handle: Sendable {
    let task: Task<Void, Never>
    fileprivate let place: Place
  }

  fileprivate struct Place: Sendable {
    let index: Int
    let tenant: Int
  }

  /// The part of the store that operations keep alive.
  private final class Core: Sendable {
    struct Flight: Sendable {
      var tenant = 0
      var isCancelled = false
      var task: Task<Void, Never>?
    }

    struct Guarded: Sendable {
      var state: State
      var isActive = true
      var inFlight: [Flight] = []
      var free: [Int] = []

      mutating func begin() -> Place {
        guard let index = free.popLast() else {
          inFlight.append(Flight())
          return Place(index: inFlight.count - 1, tenant: 0)
        }
        return Place(index: index, tenant: inFlight[index].tenant)
      }

      func isInFlight(_ place: Place) -> Bool { inFlight[place.index].tenant == place.tenant }

      /// - Returns: whether the operation may commit.
      mutating func end(_ place: Place) -> Bool {
        defer {
          inFlight[place.index] = Flight(tenant: place.tenant + 1)
          free.append(place.index)
        }
        return !inFlight[place.index].isCancelled
      }
    }

    let guarded: Mutex<Guarded>
    init(_ state: State) { guarded = Mutex(Guarded(state: state)) }
  }

  private let core: Core

  init(_ state: State) { core = Core(state) }

  func withState<Result: Sendable>(_ body: (State) -> Result) -> Result { core.guarded.withLock { body($0.state) } }

  @inline(never)
  @discardableResult
  func receive(_ operation: Operation) -> Handle? {
    guard let place = core.guarded.withLock({ $0.isActive ? $0.begin() : nil }) else { return nil }
    let task = Task { [core] in await Self.run(operation, place, core) }
    let isCancelled = core.guarded.withLock { core in
      guard core.isInFlight(place) else { return false }
      core.inFlight[place.index].task = task
      return core.inFlight[place.index].isCancelled
    }
    if isCancelled { task.cancel() }
    return Handle(task: task, place: place)
  }

  /// Nothing of the operation commits once this has returned.
  func cancel(_ handle: Handle) {
    core.guarded.withLock { core in
      if core.isInFlight(handle.place) { core.inFlight[handle.place.index].isCancelled = true }
    }
    handle.task.cancel()
  }

  func deactivate() {
    let tasks = core.guarded.withLock { core in
      core.isActive = false
      for index in core.inFlight.indices { core.inFlight[index].isCancelled = true }
      return core.inFlight.compactMap(\.task)
    }
    for task in tasks { task.cancel() }
  }

  deinit { deactivate() }

  @inline(__always)
  private static func run(_ operation: Operation, _ place: Place, _ core: Core) async {
    var answer = Answer.nothing
    if !Task.isCancelled { answer = (try? await operation.body()) ?? .nothing }
    ended(place, answer, core)
  }

  @inline(never)
  private static func ended(_ place: Place, _ answer: Answer, _ core: Core) {
    core.guarded.withLock { core in
      if core.end(place), case .set(let change) = answer { change(&core.state) }
    }
  }
}
