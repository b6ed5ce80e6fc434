/// The work that follows an event after the lock is released.
struct Chores {
  /// The cancels, which come first: the barrier reaches other stores, and cancelled runs are asked to end.
  var cancels: Cancels?
  /// Runs of cancelled operations whose tasks had not started.
  ///
  /// The runs end under this lock, so that the queue is empty after it.
  var withdrawn = Queue<Run>()
  /// The chores before the deliveries, in order.
  var beforeDeliveries = InlineList<Chore>()
  /// The number of those chores that have been carried out.
  var completedCount = 0
  /// The chores after this thread's deliveries.
  ///
  /// This way, whoever is notified of an end finds bound stores up to date, unless another thread is delivering.
  var afterDeliveries = InlineList<LateChore>()
  /// The next operation of the run whose driver reported the event.
  ///
  /// The operation runs in the same task if there is nothing else to do.
  var continuation: EffectNode?
  /// An operation without a task of its own: the driver's task continues with it or, if there is a ``waitingTree``, the
  /// caller of `run` starts it.
  var successor: Run?
  /// The tree that the caller of `run` waits for.
  var waitingTree: TreeContext?
  /// An effect to release together with these chores; most events that release an effect release only one.
  var released: EffectNode?
  /// The deadline at which this event asks a handler or a condition.
  ///
  /// The event does not continue before the answer.
  var deadline: Moment?
  var hasDeliveries = false
  /// True if user code may have run since the event.
  var hasCalledOut = false
  /// The rest of the pass, for which the lock has to be taken again.
  var suspension: Suspension?

  /// True if the next chore asks user code for an answer.
  var nextIsQuestion: Bool { beforeDeliveries.contains(at: completedCount) { $0.isQuestion } }

  /// Takes the remaining chores for later; `nil` if there are none.
  mutating func takeRest() -> Chores? {
    guard
      completedCount < beforeDeliveries.count || hasDeliveries || afterDeliveries.count > 0 || released != nil
    else { return nil }
    var rest = Chores()
    swap(&rest.released, &released)
    swap(&rest.beforeDeliveries, &beforeDeliveries)
    swap(&rest.completedCount, &completedCount)
    swap(&rest.hasDeliveries, &hasDeliveries)
    swap(&rest.afterDeliveries, &afterDeliveries)
    rest.deadline = deadline
    rest.hasCalledOut = true
    return rest
  }

  /// Adds a chore.
  ///
  /// An operation that was left to the caller now gets a task, because the chore may take long.
  mutating func append(_ chore: consuming Chore) {
    if waitingTree != nil { startSuccessor() }
    beforeDeliveries.append(chore)
  }

  /// Makes `run` the operation that continues in the driver's task; an earlier choice gets a task of its own.
  mutating func setSuccessor(_ run: Run) {
    startSuccessor()
    successor = run
  }

  /// Starts the successor in a task of its own.
  mutating func startSuccessor() {
    if let run = successor.take() { beforeDeliveries.append(.start(run)) }
  }

  /// Records a run that has been marked as cancelled and has to be asked to end.
  mutating func noteCancelled(_ run: Run) {
    makeCancels()
    cancels?.runs.append(run)
  }

  mutating func makeCancels() { if cancels == nil { cancels = Cancels() } }
}

/// Runs that were cancelled under one lock.
struct Cancels {
  /// The runs, which are marked and have not been asked to end.
  var runs: ContiguousArray<Run> = []
  /// Opened once the barrier has reached the other stores that the runs have lifted effects into.
  var ownLatch: Latch?
  /// True if the store has begun to stand still for the barrier.
  var standsStill = false
  /// Barriers of other threads' cancels that are still spreading: nothing may continue before they have arrived.
  var otherLatches: [Latch] = []
}

/// A piece of work to do after the lock is released.
enum Chore {
  case start(Run)
  /// Begin a lift that follows from these deliveries.
  case lift(Run, DeliveryLineage?)
  case open(Run)
  /// Stop the timers and sources of a run's tree in another store, or allow new ones.
  case drain(Run)
  case cancelAlarm(Task<Void, Never>)
  case tick(FiberID, EffectNode, Tick)
  case handle(FiberID, by: EffectNode?, any Error)
  case decide(FiberID, by: EffectNode, any Error)
  case startAlarm(Moment, serial: UInt64)
  case requestTurn
  case reportCycle([EffectID])

  /// True if the chore calls user code whose answer is an event.
  var isQuestion: Bool {
    switch self {
    case .handle, .decide, .tick: true
    case .start, .lift, .open, .drain, .cancelAlarm, .startAlarm, .requestTurn, .reportCycle: false
    }
  }
}

/// A piece of work to do after the deliveries.
enum LateChore {
  case settle(TreeContext, EffectOutcome, isOver: Bool, LiftEnding)
  case end(TreeContext)
  case rested([PhaseWaiter])
  /// Release effects, whose closures may hold objects that call the store when they are freed.
  case release(EffectNode, EffectNode?, EffectNode?)
  /// Release an error, whose objects may call the store too.
  case releaseError(any Error)
  case releaseIdentifier(EffectID)
}
