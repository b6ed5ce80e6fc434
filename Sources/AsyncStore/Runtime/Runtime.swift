import Synchronization

/// The shell around a store's machine, without the store's types: the one lock, and what happens before and after it.
///
/// A store is a thin object in front of its runtime. Tasks, bindings and handles hold the runtime, and only users hold
/// the store: so nothing in flight keeps a store alive, and whatever is still running when the store goes finds its
/// machine where it was. The runtime goes with the last operation that returns.
///
/// `@unchecked` because the class is not final, and for `rawState` and `attachment`: both, and what they point to, are
/// touched only while `core` is locked, or when the store is gone and nothing commits, attaches or reads any more. All
/// else that changes is in `core`, a mutex, or atomic.
@usableFromInline
class Runtime: @unchecked Sendable {
  // What every change of the state touches comes first, here and in what the lock guards: a commit to one of a thousand
  // bound stores is to fetch few lines of memory.
  let isolation: (any Actor)?
  /// The thread that has the lock, to tell code of the user's that calls the store from under it.
  private let lockingThread = Atomic<UInt>(0)
  /// How many threads wait for the lock, and how many that waited have had it.
  private let waiters = Atomic<Int>(0)
  private let admissions = Atomic<UInt>(0)
  /// Where the state is.
  let rawState: UnsafeMutableRawPointer
  let core: Mutex<Core>
  let time: any TimeSource
  let executor: (any TaskExecutor)?
  /// Tells the instrument, if there is one.
  let instrument: (@Sendable (InstrumentEvent) -> Void)?
  /// What a module on top keeps beside the state.
  @exclusivity(unchecked) final var attachment: AnyObject?

  init(
    rawState: UnsafeMutableRawPointer, time: any TimeSource, isolation: (any Actor)?, executor: (any TaskExecutor)?,
    seed: UInt64, mapsErrors: Bool, instrument: (@Sendable (InstrumentEvent) -> Void)?
  ) {
    self.rawState = rawState
    self.time = time
    self.isolation = isolation
    self.executor = executor
    self.instrument = instrument
    core = Mutex(Core(seed: seed, now: time.reading, mapsErrors: mapsErrors, isTraced: instrument != nil))
  }

  // MARK: What knows the types

  func commit(_ site: Site<EffectProgram>, count: Int, _ core: inout Core) { preconditionFailure("abstract") }
  func evaluate(_ node: EffectNode, _ core: inout Core) -> (program: EffectProgram?, isCommit: Bool) {
    preconditionFailure("abstract")
  }
  func open(_ run: Run) { preconditionFailure("abstract") }
  /// Runs a fiber's operation, and those that follow it in the same fiber.
  func operate(_ run: Run) async { preconditionFailure("abstract") }
  func interpret(_ tick: Tick, of id: FiberID, _ node: EffectNode) { preconditionFailure("abstract") }
  /// Whether the retry makes another attempt after this error.
  func decide(_ error: any Error, by node: EffectNode) -> Bool { preconditionFailure("abstract") }
  func map(_ error: any Error, by node: EffectNode?) -> EffectProgram? { preconditionFailure("abstract") }
  /// The observers are shown the last state, under the lock.
  func willEnd(_ observers: [CommitObserver], endsActivity: Bool) { preconditionFailure("abstract") }
  func discardState() { preconditionFailure("abstract") }

  // MARK: The lock

  /// Carries out one event: under the lock it steps the machine and applies its commits; after it, tasks are started
  /// and cancelled, waiters resumed, handlers called, observers told.
  ///
  /// Short ways past it: `commit`, `commitInPlace`, `dispatch`, `update`.
  ///
  /// - Parameters:
  ///   - driver: who reports the end of a fiber's operation. If the fiber goes on with another one of the same kind,
  ///     that one is answered and not started.
  ///   - context: the tree whose task-local values and priority hold on this thread.
  ///   - round: the round of lifts that the event is part of; a call from outside has its own.
  ///   - handsOver: whether a very long pass may go on in a task, because nobody waits for it and the thread has more
  ///     to do.
  @discardableResult
  func perform(
    driver: Run? = nil, in context: @autoclosure () -> TreeContext? = nil, mayCommit: Bool? = nil,
    round: LiftRound? = nil, handsOver: Bool = false, _ event: (inout Core) -> Void
  ) -> EffectNode? {
    var chores = Chores()
    let mayCommit = mayCommit ?? isOnIsolation()
    lock { core in
      step(&core, driver: driver, in: context, mayCommit: mayCommit, into: &chores, event)
    }
    return follow(&chores, driver: driver, in: context(), mayCommit: mayCommit, handsOver: handsOver, round)
  }

  /// Under the lock: steps the machine, and applies its commits.
  func step(
    _ core: inout Core, driver: Run? = nil, in context: () -> TreeContext?, mayCommit: Bool,
    into chores: inout Chores, _ event: (inout Core) -> Void
  ) {
    core.machine.mayCommit = mayCommit
    core.pass.start()
    event(&core)
    complete(&core, driver: driver, in: context, into: &chores)
  }

  func complete(
    _ core: inout Core, driver: Run?, in context: () -> TreeContext?, into chores: inout Chores
  ) {
    apply(&core, driver: driver, into: &chores)
    if core.pass.hasCancelled || core.machine.isSpreadingBarrier { core.noteWaves(&chores) }
    if !core.machine.ready.isEmpty { chores.suspension = core.machine.suspend(core.pass) }
    if let driver, chores.continuation == nil, chores.suspension == nil { core.end(driver) }
    // Before another thread can end the wait.
    if core.pass.hasWaits { context()?.keepInheritance() }
  }

  /// After the lock: carries out what the event leads to, and steps on as long as its pass is not complete.
  ///
  /// - Returns: the operation that the driver goes on with. Within a round of others' it may come later, as part of the
  ///   round.
  @inline(__always)
  @discardableResult
  func follow(
    _ chores: inout Chores, driver: Run? = nil, in context: TreeContext?, mayCommit: Bool, handsOver: Bool = false,
    _ outer: LiftRound?
  ) -> EffectNode? {
    var round = outer
    carryOut(&chores, in: context, &round)
    guard round != nil || chores.suspension != nil else { return chores.continuation }
    return goOn(&chores, driver, context, mayCommit, handsOver, outer, round)
  }

  @inline(never)
  private func goOn(
    _ chores: inout Chores, _ driver: Run?, _ context: TreeContext?, _ mayCommit: Bool, _ handsOver: Bool,
    _ outer: LiftRound?, _ made: LiftRound?
  ) -> EffectNode? {
    let round = made ?? LiftRound()
    var suspended: SuspendedPass?
    if let suspension = chores.suspension {
      // A driver that knows already what it goes on with has no part in the rest.
      suspended = SuspendedPass(
        self, suspension, driver: chores.continuation == nil ? driver : nil, context: context, mayCommit: mayCommit,
        handsOver: handsOver)
    }
    if let suspended { round.goOn(suspended) }
    if outer == nil { round.run() }
    return suspended?.continuation ?? chores.continuation
  }

  /// Locks, after a check that it is not this very thread that has the lock.
  func lock<Result>(_ body: (inout Core) -> Result) -> Result {
    // Only a lock that can't be had at once is worth the question.
    let result = core.withLockIfAvailable { core in
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
    if let result { return result }
    trap(
      unless: !isLockedHere,
      "A mutation of this store's state, or a getter or a comparison of a property of it, called the store itself, or another store that this one is bound to. Read from the state that the closure is given, and return an effect, with `update`, for what has to follow."
    )
    waiters.add(1, ordering: .relaxed)
    return core.withLock { core in
      waiters.subtract(1, ordering: .relaxed)
      admissions.add(1, ordering: .relaxed)
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
  }

  @inline(__always)
  final func noteLocked() { lockingThread.store(Thread.current, ordering: .relaxed) }

  @inline(__always)
  final func noteUnlocked() { lockingThread.store(0, ordering: .relaxed) }

  /// Lets a thread have the lock that waits for it, before this one takes it again.
  ///
  /// A mutex is not fair: a thread that takes it again at once mostly gets it, and the others could wait for ever.
  func giveWay() {
    let admitted = admissions.load(ordering: .relaxed)
    while waiters.load(ordering: .relaxed) > 0, admissions.load(ordering: .relaxed) == admitted { Thread.yield() }
  }

  /// Whether this very thread has the lock: code of the user's is being called under it.
  var isLockedHere: Bool { lockingThread.load(ordering: .relaxed) == Thread.current }

  /// Turns directives into commits, now, and chores, for later.
  private func apply(_ core: inout Core, driver: Run?, into chores: inout Chores) {
    // Once, and not by doubling; not for each round below, or what is in the list already would be moved each time.
    chores.starts.reserve(core.pass.directives.count)
    while !core.pass.directives.isEmpty {
      // Taken out one by one: that is much cheaper than to copy each and to remove them all.
      core.pass.directives.reverseByMoving()
      // The effect of a lift into this very store is interpreted in the lift's place.
      var ownLift: (id: FiberID, program: EffectProgram)?
      while let directive = core.pass.directives.popLast() {
        // An `evaluate` is the last one; once it is answered there are those of how the machine went on.
        let isLast = directive.isEvaluate
        apply(directive, &core, driver: driver, ownLift: &ownLift, into: &chores)
        if isLast { break }
      }
      if let ownLift { core.machine.operationFinished(ownLift.id, ownLift.program, &core.pass) }
    }
    release(&core.machine.released, into: &chores)
    while let error = core.machine.releasedFailures.popLast() { chores.endings.append(.releaseError(error)) }
    while let identifier = core.machine.releasedIdentifiers.popLast() {
      chores.endings.append(.releaseIdentifier(identifier))
    }
    if core.machine.released.capacity > 1024 { core.machine.released = UniqueArray() }
    if core.pass.directives.capacity > 1024 { core.pass.directives = [] }
    setAlarm(&core, into: &chores)
    if !core.phaseWaiters.isEmpty { core.takeRested(into: &chores) }
    chores.hasDeliveries = !core.deliveries.isEmpty
  }

  private func release(_ programs: inout UniqueArray<EffectProgram>, into chores: inout Chores) {
    if chores.released == nil { chores.released = programs.popLast()?.node }
    if programs.isEmpty { return }
    chores.endings.reserve(programs.count / 3)
    // By threes, which fit where one does.
    while let first = programs.popLast() {
      chores.endings.append(.release(first.node, programs.popLast()?.node, programs.popLast()?.node))
    }
  }

  // Inlined, so that the directive, taken out of its list, is taken apart and not copied.
  @inline(__always)
  private func apply(
    _ directive: Directive<EffectProgram>, _ core: inout Core, driver: Run?,
    ownLift: inout (id: FiberID, program: EffectProgram)?,
    into chores: inout Chores
  ) {
    switch directive {
    case .commit(_, let site, let count):
      commit(site, count: Int(count), &core)
    case .evaluate(let id, let site):
      let (program, isCommit) = evaluate(site.node, &core)
      // Only now is it known whether something has been committed.
      if isCommit, core.machine.isTraced {
        record(.committed(site, count: 1, core.machine.names(of: id.slot)), &core)
      }
      core.machine.evaluated(id, program, &core.pass)
    case .operate(let id, let site):
      let node = site.node
      if core.machine.lifts(id), let lift = node.lift, lift.target.base === self {
        ownLift = (id, EffectProgram(node: lift.effect))
      } else if let driver, id == driver.id, node.isLift == driver.isLift {
        chores.continuation = node
      } else {
        chores.starts.append(.start(core.begin(Run(self, id, node, tree: core.machine.context(of: id)))))
      }
    case .open(let id, let site):
      chores.starts.append(.open(core.begin(Run(self, id, site.node, tree: core.machine.context(of: id)))))
    case .cancel(let id):
      if let run = core.runs[id.slot.index] { chores.cancel(run) }
      record(.cancelled, id, &core)
    case .tick(let id, let tick):
      guard let site = core.machine.site(of: id) else { preconditionFailure("a timer that is gone ticks") }
      chores.starts.append(.tick(id, site.node, tick))
    case .handle(let id, let handler, let error):
      record(.failed(error), id, &core)
      chores.starts.append(.handle(id, by: handler?.node, error))
    case .decide(let id, let site, let error):
      chores.starts.append(.decide(id, by: site.node, error))
    case .settled(let context, let ending, let isOver):
      chores.endings.append(.settle(context, EffectOutcome(ending), isOver: isOver))
    case .adopted(let context):
      context.adopted()
    case .over(let context):
      chores.endings.append(.over(context))
    case .circle(let identifiers):
      if core.machine.isTraced {
        core.deliveries.append(.event(.circularJoin(identifiers)))
      } else {
        chores.starts.append(.reportCircle(identifiers))
      }
    case .requestTurn:
      chores.starts.append(.takeTurn)
    case .trace(let event):
      record(event, &core)
    }
  }

  /// - Parameter context: the tree whose task-local values hold on this thread; tasks of others start from theirs.
  func carryOut(_ chores: inout Chores, in context: TreeContext?, _ round: inout LiftRound?) {
    var hasCalledOut = false
    if let cancels = chores.cancels.take() {
      BarrierWave.carryOut(cancels, of: self, &round)
      hasCalledOut = true
    }
    for index in 0..<chores.starts.count {
      carryOut(chores.starts.take(at: index), hasCalledOut: hasCalledOut, in: context, &round)
      hasCalledOut = true
    }
    if chores.hasDeliveries { DeliveryLoop.deliver(from: self) }
    for index in 0..<chores.endings.count { tell(chores.endings.take(at: index), &round) }
  }

  private func carryOut(
    _ chore: consuming Chore, hasCalledOut: Bool, in context: TreeContext?, _ round: inout LiftRound?
  ) {
    switch consume chore {
    case .start(let run):
      start(run, in: context, &round)
    case .open(let run):
      if let tree = run.tree, tree !== context {
        tree.inherit { _ in self.open(run) }
      } else {
        open(run)
      }
    case .cancelAlarm(let task):
      task.cancel()
    case .tick(let id, let node, let tick):
      // Code of the user's that has been called since may have cancelled the timer.
      if hasCalledOut, lock({ $0.machine.isCancelled(id) }) { return }
      interpret(tick, of: id, node)
    case .handle(let id, let handler, let error):
      let program = map(error, by: handler)
      perform(in: context, handsOver: true) { $0.machine.handled(id, program, &$0.pass) }
    case .decide(let id, let node, let error):
      // Code of the user's that has been called since may have cancelled the retry.
      let isCancelled = hasCalledOut && lock { $0.machine.isCancelled(id) }
      let triesAgain = !isCancelled && decide(error, by: node)
      perform(in: context, handsOver: true) { $0.machine.decided(id, triesAgain: triesAgain, &$0.pass) }
    case .setAlarm(let moment, let serial):
      startAlarm(at: moment, serial: serial)
    case .reportCircle(let identifiers):
      let circle = identifiers.hashValue
      let isNews = lock { core in
        defer { core.circle = circle }
        return core.circle != circle
      }
      guard isNews else { return }
      let names = identifiers.map(\.description).joined(separator: ", ")
      Thread.warn(
        "AsyncStore: effects that join each other, or stand in line behind each other, would have waited for ever: \(names). The join did not wait. Have one of them end without the other."
      )
    case .takeTurn:
      takeTurn { $0.perform { $0.machine.turn(&$0.pass) } }
    }
  }

  private func start(_ run: Run, in context: TreeContext?, _ round: inout LiftRound?) {
    let isLift = run.isLift
    guard let tree = run.tree, tree !== context else {
      if isLift { round.orNew.begin(run) } else { run.drive() }
      return
    }
    if isLift { round.orNew.beginElsewhere(run, in: tree) } else { tree.inherit { _ in run.drive() } }
  }

  private func tell(_ ended: consuming Ended, _ round: inout LiftRound?) {
    switch consume ended {
    case .settle(let tree, let outcome, let isOver):
      tree.settle(outcome, isOver: isOver, &round)
    case .over(let tree):
      tree.over(&round)
    case .rested(let waiters):
      for waiter in waiters { waiter.wait.come(.success(.rested)) }
    case .release, .releaseError, .releaseIdentifier:
      break
    }
  }
}

extension Core {
  mutating func begin(_ run: Run) -> Run {
    let slot = run.id.slot.index
    while runs.count <= slot { runs.append(nil) }
    runs[slot] = run
    return run
  }

  /// The fiber's run is over; its slot may have another tenant already, whose run this is not.
  mutating func end(_ run: Run) {
    let slot = run.id.slot.index
    guard runs.count > slot, runs[slot] === run else { return }
    runs[slot] = nil
    if machine.fibers.count == 0 { runs = UniqueArray() }
  }
}

extension Site<EffectProgram> {
  /// The effect at the site, which is not a mutation.
  var node: EffectNode {
    guard let node = program.node.node(at: index) else { preconditionFailure("the effect at \(index) has no node") }
    return node
  }
}

extension EffectOutcome {
  init(_ ending: Ending<any Error>) {
    switch ending {
    case .finished: self = .finished
    case .failed(let error): self = .failed(error)
    case .cancelled: self = .cancelled
    case .dropped: self = .dropped
    }
  }
}
