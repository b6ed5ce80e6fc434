/// A request of the machine to the shell, which carries out all of them in order.
enum Directive<P: Program> {
  /// Apply the mutation at this site to the state, and those that follow it in the program, `count` in all, each of
  /// them a commit.
  case commit(FiberID, Site<P>, count: Int32 = 1)
  /// Apply the mutation at this site and answer with ``Machine/evaluated(_:_:_:)``. Always the last directive of a
  /// pass: the machine stands still until the answer.
  case evaluate(FiberID, Site<P>)
  /// Start the operation at this site; answer with `operationFinished` or `operationFailed`.
  case operate(FiberID, Site<P>)
  /// Start the source at this site; answer with `emitted` for each of its effects and with `sourceEnded`.
  case open(FiberID, Site<P>)
  /// Ask the operation or the source of this fiber to end. It still answers when it has.
  case cancel(FiberID)
  /// Map this tick of a timer and answer with `ticked`, or commit a mere `set` in place.
  case tick(FiberID, Tick)
  /// Map this error with the handler, or with the store's own if there is none; answer with `handled`.
  indirect case handle(FiberID, by: P?, P.Failure)
  /// Ask the condition of the retry at this site whether the error is worth another attempt; answer with `decided`.
  indirect case decide(FiberID, Site<P>, P.Failure)
  /// Settle the tree: its attached part has ended; if it is over, nothing detached of it lives either.
  case settle(P.Context, Ending<P.Failure>, isOver: Bool = true)
  /// Count the clean-up of a cancelled tree, a `finally` or a mapped error, that has begun beside it.
  case adopt(P.Context)
  /// End a tree that settled before, or a clean-up that it left behind: nothing of it is alive any more.
  case end(P.Context)
  /// Report that effects under these identifiers would have waited for each other for ever.
  indirect case reportCircle([P.Identifier])
  /// Report `turnCame` on the actor that commits must happen on.
  case requestTurn
  /// Tell the instrument of the next of the pass's events.
  case trace

  var isEvaluate: Bool { if case .evaluate = self { true } else { false } }
}

/// The outcome of a tree or a fiber.
enum Ending<Failure> {
  case finished
  /// Finished, but with this error, the first of possibly several that no recovery handled.
  case failed(Failure)
  case cancelled
  /// Not begun: its identifier's policy refused it.
  case dropped
}

/// An event that instruments are told of.
///
/// Taken when it happens: a fiber that has ended is gone when the shell handles the event.
struct TraceEvent<P: Program> {
  enum Content {
    case committed(Site<P>, count: Int)
    case begun
    case ended(Ending<P.Failure>)
    /// The operation or the source has been asked to end.
    case cancelled
    case dropped
    /// The effect has thrown.
    case failed(P.Failure)
    /// An attempt of a retry has begun.
    case attempted(Attempt<P.Failure>)
    /// An attempt has failed, and the next one begins after the delay.
    case backedOff(attempt: Int, P.Failure, Moment.Span)
    /// No attempt of a retry follows, and nothing of the last one is running.
    case attemptsEnded(Ending<P.Failure>)
    case waiting(TraceWait)
    case waited(TraceWait, isCancelled: Bool)
    case timedOut
    case ticked(Tick, late: Moment.Span)
  }

  var content: Content
  var moment: Moment
  var record: TraceRecord<P>
}

/// A wait that begins with no effect.
enum TraceWait { case place, cleanup, window, turn, backOff }

/// The effect of an event, and where it is.
struct TraceRecord<P: Program> {
  struct AttemptNumber: Hashable { var number: Int, fiber: UInt64 }

  var number: UInt64
  var parent: UInt64?
  var tree: UInt64
  var attempt: AttemptNumber?
  /// The nearest identifier.
  var identifier: P.Identifier?
  /// The identifiers around the nearest one, from the inside out, eight at most.
  var outer: [P.Identifier] = []
  /// The nearest label.
  var label: P.Label?
  /// `nil` if it is released, and no description was kept.
  var effect: P.Description?
}

extension Ending: Equatable where Failure: Equatable {}
extension Ending: Sendable where Failure: Sendable {}
extension Directive: Equatable where P: Equatable, P.Failure: Equatable, P.Context: Equatable {}

/// One event on its way through the machine: the directives that it leads to, its time, which is read at most once and
/// only if needed, and the number of steps that it may take under one lock.
struct Pass<P: Program> {
  var directives: ContiguousArray<Directive<P>> = []
  /// The events for the instrument, one for each directive `trace`, in order.
  ///
  /// Apart from the directives, because an event in a box could not be moved out of it, and would be copied.
  var events: ContiguousArray<TraceEvent<P>> = []
  /// True if a fiber began to wait for something other than an operation of its own tree.
  var hasWaits = false
  /// True once a cancel has passed, even if it found nothing.
  var hasCancelled = false
  /// True if the pass goes on behind a barrier that still has to reach other stores, because its thread can't wait.
  var passesBarriers = false
  /// The tree whose prefix the pass is part of, if there is one.
  var tree: FiberID?
  /// The number of steps left before the lock is given up.
  var steps: Int32
  /// True if the pass goes on only when something has happened in other stores, and not just under another lock.
  private(set) var awaitsOthers = false
  private let stepLimit: Int32
  private var instant: Moment?
  private let readClock: () -> Moment

  /// - Parameter stepLimit: the most effects to interpret under one lock.
  init(stepLimit: Int32 = 1024, clock: @escaping () -> Moment) {
    self.stepLimit = stepLimit
    steps = stepLimit
    readClock = clock
  }

  /// Starts the next event.
  mutating func start() {
    instant = nil
    hasWaits = false
    hasCancelled = false
    passesBarriers = false
    awaitsOthers = false
    tree = nil
    steps = stepLimit
  }

  mutating func trace(_ event: consuming TraceEvent<P>) {
    events.append(event)
    directives.append(.trace)
  }

  /// Goes on with a part of the event that has a time of its own: a deadline's effects begin at the deadline, however
  /// late the alarm was.
  mutating func goOn(at moment: Moment) { instant = moment }

  /// - Returns: true if a step was left.
  @inline(__always)
  mutating func takeStep() -> Bool {
    guard steps > 0 else { return false }
    steps -= 1
    return true
  }

  /// Takes the steps of a search that visited this many fibers or identifiers.
  mutating func charge(_ visits: Int) { steps = max(0, steps - Int32(clamping: visits / 8)) }

  /// The number of fibers that a search looks at first: few, compared with the steps of a lock.
  var shortSearch: Int { max(1, min(Int(stepLimit), 64)) }

  /// True if the shell has something to do before the next step.
  var isInterrupted: Bool {
    if case .evaluate = directives.last { true } else { steps <= 0 }
  }

  /// Lets nothing more happen before something has happened in other stores.
  mutating func standStill() { (steps, awaitsOthers) = (0, true) }

  /// Lets nothing more happen before a barrier has reached other stores.
  mutating func standStillForBarrier() { if !passesBarriers { standStill() } }

  var resumption: PassResumption {
    PassResumption(tree: tree, instant: instant, hasWaits: hasWaits, awaitsOthers: awaitsOthers)
  }

  mutating func resume(_ resumption: PassResumption, passingBarriers: Bool) {
    (tree, instant, hasWaits) = (resumption.tree, resumption.instant, resumption.hasWaits)
    hasCancelled = false
    passesBarriers = passingBarriers
    awaitsOthers = false
    steps = stepLimit
  }

  mutating func now() -> Moment {
    if let instant { return instant }
    let moment = readClock()
    instant = moment
    return moment
  }
}
