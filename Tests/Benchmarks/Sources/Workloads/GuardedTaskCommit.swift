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
    let late = store.receive(GuardedStore.Operation { .set { $0.add() } }, cancelsAtOnce: true)
    await late?.settled()
    try require(store.withState { $0.count }, equals: size)
    return [time]
  }
}

/// What an engineer writes who needs no identifiers, no composition and no observers, but these guarantees.
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

  /// One operation in flight.
  final class Handle: Sendable {
    private struct Guarded: Sendable {
      var task: Task<Void, Never>?
      var isSettled = false
      var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let guarded = Mutex(Guarded())
    let isCancelled = Atomic(false)
    /// The index among those in flight, written under the store's lock.
    let index = Atomic(0)

    func started(_ task: Task<Void, Never>) {
      guarded.withLock { if !$0.isSettled { $0.task = task } }
      if isCancelled.load(ordering: .acquiring) { task.cancel() }
    }

    func cancel() { guarded.withLock { $0.task }?.cancel() }

    func settle() {
      var done = Guarded(isSettled: true)
      guarded.withLock { swap(&$0, &done) }
      for waiter in done.waiters { waiter.resume() }
    }

    func settled() async {
      await withUnsafeContinuation { continuation in
        let isSettled = guarded.withLock { guarded in
          if !guarded.isSettled { guarded.waiters.append(continuation) }
          return guarded.isSettled
        }
        if isSettled { continuation.resume() }
      }
    }
  }

  /// What operations keep alive, and not the store.
  private final class Core: Sendable {
    struct Guarded: Sendable {
      var state: State
      var isActive = true
      var inFlight: [Handle?] = []
      var free: [Int] = []

      mutating func insert(_ handle: Handle) {
        if let index = free.popLast() {
          inFlight[index] = handle
          handle.index.store(index, ordering: .relaxed)
        } else {
          handle.index.store(inFlight.count, ordering: .relaxed)
          inFlight.append(handle)
        }
      }

      mutating func remove(_ handle: Handle) {
        let index = handle.index.load(ordering: .relaxed)
        inFlight[index] = nil
        free.append(index)
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
  func receive(_ operation: Operation, cancelsAtOnce: Bool = false) -> Handle? {
    let handle = Handle()
    let isTaken = core.guarded.withLock { core in
      if core.isActive { core.insert(handle) }
      return core.isActive
    }
    guard isTaken else { return nil }
    if cancelsAtOnce { cancel(handle) }
    handle.started(Task { [core] in await Self.run(operation, handle, core) })
    return handle
  }

  /// Nothing of the operation commits once this has returned.
  func cancel(_ handle: Handle) {
    core.guarded.withLock { _ in handle.isCancelled.store(true, ordering: .releasing) }
    handle.cancel()
  }

  func deactivate() {
    let all = core.guarded.withLock { core in
      core.isActive = false
      return core.inFlight
    }
    for case let handle? in all { cancel(handle) }
  }

  deinit { deactivate() }

  @inline(__always)
  private static func run(_ operation: Operation, _ handle: Handle, _ core: Core) async {
    var answer = Answer.nothing
    if !handle.isCancelled.load(ordering: .acquiring) { answer = (try? await operation.body()) ?? .nothing }
    ended(handle, answer, core)
  }

  @inline(never)
  private static func ended(_ handle: Handle, _ answer: Answer, _ core: Core) {
    core.guarded.withLock { core in
      core.remove(handle)
      if case .set(let change) = answer, !handle.isCancelled.load(ordering: .relaxed) { change(&core.state) }
    }
    handle.settle()
  }
}
