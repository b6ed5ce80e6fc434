/// The spread of a cancel's barrier into the other stores that effects were lifted into, to any depth.
///
/// No user code but mutations runs on the way. When the wave has arrived, nothing of what was cancelled commits in any
/// store any more. Only then are operations asked to end, and do other consequences follow. Meanwhile a cancel in one
/// of these stores waits for the wave.
struct BarrierWave {
  /// A store that the wave has reached, with the chores of its cancel there.
  private struct Reached {
    let runtime: Runtime
    let mayCommit: Bool
    var chores: Chores
  }

  private var pending: [TreeContext] = []
  private var runs: ContiguousArray<Run> = []
  private var reached: [Reached] = []
  /// The stores that stand still for the wave, each with the latch that is opened when the wave has arrived.
  private var standing: [(runtime: Runtime, latch: Latch)] = []
  private var latches: [Latch] = []
  private var otherWaves: [Latch] = []

  /// Carries out the cancels of `runtime`, and their consequences in other stores.
  static func carryOut(_ cancels: Cancels, of runtime: Runtime, _ round: inout LiftRound?) {
    if cancels.ownWave == nil, cancels.otherWaves.isEmpty { return CancelQueue.askToEnd(cancels.runs) }
    if DeferredWork.isNeeded { return DeferredWork.append(cancels, of: runtime) }
    var wave = BarrierWave()
    wave.take(cancels, of: runtime)
    wave.carryOut(&round)
  }

  mutating func carryOut(_ round: inout LiftRound?) {
    spread()
    CancelQueue.askToEnd(runs)
    guard !reached.isEmpty else { return }
    let round = round.orNew
    for var reached in reached {
      reached.runtime.follow(&reached.chores, in: nil, mayCommit: reached.mayCommit, round)
    }
  }

  mutating func take(_ cancels: Cancels, of runtime: Runtime) {
    for run in cancels.runs {
      if let tree = run.takeLifted() { pending.append(tree) } else { runs.append(run) }
    }
    if let latch = cancels.ownWave {
      latches.append(latch)
      if cancels.standsStill { standing.append((runtime, latch)) }
    }
    otherWaves += cancels.otherWaves
  }

  private mutating func spread() {
    // Mutations on the way may cancel something too, and must not wait for this wave.
    DeferredWork.hold {
      repeat {
        while let tree = pending.popLast() { reach(tree) }
      } while takeDeferred()
    }
    // Threads that wait for this wave wait for the others too, which carry a part of its cancels. This wave opens
    // first, because two waves that meet would wait for each other.
    for latch in latches { latch.open(followedBy: otherWaves) }
    for other in otherWaves { other.wait() }
    if !otherWaves.isEmpty { for latch in latches { latch.forgetFollowers() } }
    for (runtime, latch) in standing { runtime.lock { $0.endWave(latch) } }
    DeferredWork.carryOutIfDue()
  }

  private mutating func reach(_ tree: TreeContext) {
    guard let runtime = tree.markCancelled() else { return }
    var chores = Chores()
    let mayCommit = runtime.isOnIsolation()
    runtime.lock { core in
      core.currentWave = latches.first
      defer { core.currentWave = nil }
      runtime.step(&core, in: { nil }, mayCommit: mayCommit, into: &chores) { $0.cancel(tree) }
    }
    if let cancels = chores.cancels.take() { take(cancels, of: runtime) }
    reached.append(Reached(runtime: runtime, mayCommit: mayCommit, chores: chores))
  }

  /// Takes what this thread has put off, so that it arrives with this wave.
  ///
  /// - Returns: true if there is more to reach.
  private mutating func takeDeferred() -> Bool {
    if let deferred = DeferredWork.takeWave() {
      pending += deferred.pending
      runs += deferred.runs
      standing += deferred.standing
      latches += deferred.latches
      otherWaves += deferred.otherWaves
    }
    otherWaves.removeAll { other in latches.contains { $0 === other } }
    return !pending.isEmpty
  }
}

/// The runs that a thread is asking to end.
///
/// Asking an operation to end runs its cancellation handlers, which may cancel something too. When such a cancel
/// returns, everything that was cancelled before it on this thread has been asked too: so it finishes the work of the
/// outer call. Handlers that call each other in this way are on the stack together; beyond a depth, a cancel asks only
/// the operations that it has cancelled itself, and leaves the others to the outer calls.
final class CancelQueue {
  private static let current = ThreadVariable<CancelQueue>()
  private static let greatestDepth = 32

  private var runs = Queue<Run>()
  private var depth = 0

  static func askToEnd(_ runs: ContiguousArray<Run>) {
    if let queue = current.value { return queue.askToEnd(runs) }
    // A single run needs no queue: nothing can come in between.
    if runs.count < 2 { return runs.first?.askToEnd() ?? () }
    let queue = CancelQueue()
    current.value = queue
    defer { current.value = nil }
    queue.askToEnd(runs)
  }

  private func askToEnd(_ runs: ContiguousArray<Run>) {
    guard depth < Self.greatestDepth else { return runs.forEach { $0.askToEnd() } }
    depth += 1
    defer { depth -= 1 }
    for run in runs { self.runs.append(run) }
    while let run = self.runs.popFirst() { run.askToEnd() }
  }
}

extension Core {
  /// Records, at the end of a pass, the barriers that have to reach other stores before anything else happens.
  mutating func noteWaves(_ chores: inout Chores) {
    // A cancel that finds everything cancelled may come from inside of the cancel that cancelled it.
    if pass.hasCancelled, chores.cancels == nil { chores.cancels = Cancels() }
    guard machine.isSpreadingBarrier else { return }
    let others = waves.filter { $0 !== currentWave }
    if pass.steps == 0, !others.isEmpty {
      if chores.cancels == nil { chores.cancels = Cancels() }
      chores.cancels?.otherWaves = others
    }
    if chores.cancels?.runs.contains(where: \.isLift) == true {
      let latch = currentWave ?? Latch()
      chores.cancels?.ownWave = latch
      if !waves.contains(where: { $0 === latch }) {
        chores.cancels?.standsStill = true
        waves.append(latch)
      }
    }
    machine.isSpreadingBarrier = !waves.isEmpty
  }

  mutating func endWave(_ latch: Latch) {
    waves.removeAll { $0 === latch }
    machine.isSpreadingBarrier = !waves.isEmpty
  }

  /// Cancels one received tree.
  ///
  /// A tree that has not begun yet finds, under the lock, that it is cancelled.
  mutating func cancel(_ tree: TreeContext) {
    if let root = tree.root { machine.treeCancelled(root, &pass) } else { machine.standStillForBarrier(&pass) }
  }
}
