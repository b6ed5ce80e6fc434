import Synchronization

// The time of a simulation, and the waits for it.
extension Scheduler {
  var now: Instant { state.withLock { $0.now } }
  var earliestDeadline: Instant? { state.withLock { $0.sleepers.earliestDeadline } }
  var sleepers: [SleeperList.Sleeper] { state.withLock { Array($0.sleepers.all) } }

  /// Returns a number for a store created with the simulation's clock.
  func nextStoreNumber() -> UInt64 { state.withLock { $0.sleepers.nextID() } }

  /// Lets time pass at once, up to a moment.
  func pass(to moment: Instant) { state.withLock { $0.now = max($0.now, moment) } }

  /// Waits until everything due by a moment has happened.
  ///
  /// - Parameter target: the moment, or `nil` to wait until nobody sleeps any more.
  nonisolated(nonsending) func advance(to target: Instant?) async {
    if hasEnded {
      try? await endWait()
      return
    }
    await withUnsafeContinuation { continuation in
      state.withLock { state in
        let advance = Advance(
          target: target ?? Instant(offset: .seconds(Int64.max)), isOpen: target == nil, continuation: continuation)
        state.advances.append(advance)
      }
    }
  }

  /// Puts the calling task to sleep, even for no time at all: it wakes after the current job.
  ///
  /// Inlined, because a level of asynchronous calls costs a look-up of the task's executor when it returns.
  @inline(__always)
  nonisolated(nonsending) func sleep(
    until deadline: Instant, by kind: SleeperList.Kind, wasCancelled: Bool = false
  ) async throws {
    let id = state.withLock { $0.sleepers.nextID() }
    try await withTaskCancellationHandler {
      // Unchecked: either this closure or the code that removes the sleeper from the list resumes it, once.
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        let endsAtOnce = state.withLock { state in
          // A sleeper that is cancelled from here on is found in the list.
          let isCancelled = wasCancelled || Task.isCancelled
          if isCancelled || state.isOver, state.endsCancelledSleep() { return true }
          let deadline = isCancelled ? state.now : deadline
          let delay = isCancelled ? .zero : state.delay(at: options.jitter)
          state.sleepers.insert(
            SleeperList.Sleeper(
              id: id, deadline: deadline, wake: max(deadline, state.now).advanced(by: delay), kind: kind,
              waker: .task(continuation, wasCancelled: isCancelled)))
          return false
        }
        if endsAtOnce { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.remove(id) }?.cancel()
    }
  }

  /// Waits forever; this does not count as a sleeper, because no time ends it.
  nonisolated(nonsending) func hang() async throws {
    let stream = AsyncStream<Never> { _ in }
    for await _ in stream {}
    try await endWait()
    throw CancellationError()
  }

  /// Ends a wait like a cancelled sleep: at once, but not again and again.
  ///
  /// - Throws: `CancellationError`, always.
  nonisolated(nonsending) func endWait() async throws {
    try await sleep(until: Instant(), by: .own, wasCancelled: true)
  }

  /// Lets time pass for the callers that asked for it, the nearest moment first.
  func advance(_ state: inout State) -> Step? {
    var first = 0
    for index in state.advances.indices where state.advances[index].target < state.advances[first].target {
      first = index
    }
    let request = state.advances[first]
    if let wake = state.sleepers.earliestWake, wake <= request.target { return pass(to: wake, &state) }
    if !request.isOpen {
      if request.target.offset > options.limits.time { return .end(.tooLate) }
      state.now = max(state.now, request.target)
      // Sleepers may be late, but not later than the requested moment.
      if state.sleepers.hurry(dueBy: state.now) { return nil }
    }
    state.advances.remove(at: first)
    return .advanced(request.continuation)
  }

  func pass(to moment: Instant, _ state: inout State) -> Step? {
    if moment.offset > options.limits.time { return .end(.tooLate) }
    state.now = max(state.now, moment)
    return nil
  }

  /// Schedules an action at a moment, on the driving thread, between two jobs.
  func schedule(at moment: Instant, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      guard !state.isOver, !state.isAbandoned else { return }
      let wake = max(moment, state.now)
      let id = state.sleepers.nextID()
      state.sleepers.insert(
        SleeperList.Sleeper(id: id, deadline: wake, wake: wake, kind: .own, waker: .action(action)))
    }
  }
}
