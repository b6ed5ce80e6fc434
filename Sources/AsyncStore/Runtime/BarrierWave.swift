/// The spread of a cancel's barrier into the other stores that effects were lifted into, to any depth.
///
/// On the way, the only user code that runs is code that runs under a lock. When the wave has arrived, nothing that was
/// cancelled commits any more in any store. Only then are operations asked to end, and other consequences follow.
/// Meanwhile, a cancel in one of these stores waits for the wave.
struct BarrierWave {
  private var pending: [TreeContext] = []
  private var runs: ContiguousArray<Run> = []
  /// The consequences in the stores that the wave has reached, and those that this thread had deferred.
  private var deferredChores: ContiguousArray<DeferredChores> = []
  private var closures: [() -> Void] = []
  /// The stores that stand still for the wave, each with the latch to open when the wave has arrived.
  private var standing: [(runtime: Runtime, latch: Latch)] = []
  private var latches: [Latch] = []
  private var otherLatches: [Latch] = []

  /// Carries out the cancels of `runtime` and this thread's deferred work, with their consequences in other stores.
  static func carryOut(_ cancels: Cancels?, of runtime: Runtime, _ round: inout Round?) {
    if let cancels, cancels.ownLatch == nil, cancels.otherLatches.isEmpty, !DeferredWork.isPending {
      return CancelQueue.askToEnd(cancels.runs)
    }
    var wave = BarrierWave()
    if let cancels { wave.take(cancels, of: runtime) }
    wave.finish(&round)
  }

  /// Carries out this thread's deferred work.
  static func carryOutDeferred() {
    var (wave, round) = (BarrierWave(), nil as Round?)
    wave.finish(&round)
    round?.run()
  }

  private mutating func finish(_ round: inout Round?) {
    spread()
    CancelQueue.askToEnd(runs)
    for closure in closures { closure() }
    guard !deferredChores.isEmpty else { return }
    let known = round.orNew
    for deferred in deferredChores {
      if known.hasAnswer { known.add(deferred) } else { deferred.carryOut(in: known) }
    }
  }

  private mutating func take(_ cancels: Cancels, of runtime: Runtime) {
    for run in cancels.runs {
      if let tree = run.takeLifted() { pending.append(tree) } else { runs.append(run) }
    }
    if let latch = cancels.ownLatch {
      if latches.last !== latch { latches.append(latch) }
      if cancels.standsStill { standing.append((runtime, latch)) }
    }
    otherLatches += cancels.otherLatches
  }

  private mutating func spread() {
    takeDeferred()
    while let tree = pending.popLast() {
      reach(tree)
      // Mutations on the way may have cancelled something too. Those cancels arrive with this wave.
      takeDeferred()
    }
    otherLatches.removeAll { other in latches.contains { $0 === other } }
    // Threads that wait for this wave also wait for the other waves that carry part of what it has cancelled. This wave
    // opens its latches before it waits, because two waves that meet would otherwise wait for each other.
    for latch in latches { latch.open(followedBy: otherLatches) }
    for other in otherLatches { other.wait() }
    if !otherLatches.isEmpty { for latch in latches { latch.forgetFollowers() } }
    for (runtime, latch) in standing { runtime.lockOnly { $0.endWave(latch) } }
  }

  private mutating func reach(_ tree: TreeContext) {
    guard let runtime = tree.markCancelled() else { return }
    var chores = Chores()
    let mayCommit = runtime.isOnIsolation()
    runtime.lockOnly { core in
      core.currentLatch = latches.first
      defer { core.currentLatch = nil }
      runtime.process(&core, in: { nil }, mayCommit: mayCommit, into: &chores) { $0.cancel(tree) }
    }
    take(DeferredChores(runtime, chores, in: nil, mayCommit: mayCommit, handover: .nothing))
  }

  private mutating func take(_ deferred: consuming DeferredChores) {
    if let cancels = deferred.chores.cancels.take() { take(cancels, of: deferred.runtime) }
    deferredChores.append(deferred)
  }

  private mutating func takeDeferred() {
    guard let work = DeferredWork.take() else { return }
    for deferred in work.deferredChores { take(deferred) }
    closures += work.closures
  }
}

extension Core {
  // MARK: Under the lock of the store that cancels

  /// Records, at the end of a pass, the barriers that have to reach other stores before anything else happens.
  mutating func noteLatches(_ chores: inout Chores) {
    // Even if there is no run to ask: this cancel may have been called by a cancellation handler, and then has to
    // finish the work of the outer cancel (see `CancelQueue`).
    if pass.hasCancelled { chores.makeCancels() }
    guard machine.isSpreadingBarrier else { return }
    // Everything that a thread defers arrives in one wave.
    let ownLatch = currentLatch ?? (pass.passesBarriers ? DeferredWork.latch : nil)
    let others = latches.filter { $0 !== ownLatch }
    if pass.steps == 0 || pass.passesBarriers && pass.hasCancelled, !others.isEmpty {
      chores.makeCancels()
      chores.cancels?.otherLatches = others
    }
    if chores.cancels?.runs.contains(where: \.isLift) == true {
      let latch = ownLatch ?? Latch()
      chores.cancels?.ownLatch = latch
      if !latches.contains(where: { $0 === latch }) {
        chores.cancels?.standsStill = true
        latches.append(latch)
      }
    }
    if latches.isEmpty { machine.barrierArrived() }
  }

  mutating func endWave(_ latch: Latch) {
    latches.removeAll { $0 === latch }
    if latches.isEmpty { machine.barrierArrived() }
  }

  /// Cancels one received tree.
  ///
  /// A tree that has not begun yet finds, under the lock, that it is cancelled.
  mutating func cancel(_ tree: TreeContext) {
    if let root = tree.root { machine.treeCancelled(root, &pass) } else { machine.noteCancel(&pass) }
  }
}
