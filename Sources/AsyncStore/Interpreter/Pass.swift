/// The machine's processing of one event: the resulting directives, the time of the event, and the number of steps
/// allowed under one lock.
///
/// The time is read at most once, and only if needed.
struct Pass<P: Program>: ~Copyable {
  var directives = UniqueArray<Directive<P>>()
  /// The events for the instrument, one for each `trace` directive, in order.
  ///
  /// Stored apart from the directives, because an event in a box could not be moved out of it and would be copied.
  var events = UniqueArray<TraceEvent<P>>()
  /// Records of earlier events, for reuse.
  var spareRecords = UniqueArray<P.Record>()
  /// True if a fiber began to wait for something other than an operation of its own tree.
  var hasWaits = false
  /// True once a cancel has happened, even if it found nothing.
  var hasCancelled = false
  /// True if the pass continues although a barrier has not reached other stores yet, because its thread can't wait.
  var passesBarriers = false
  /// True if commits may happen where the machine is being stepped.
  ///
  /// False only for a store that is bound to an actor.
  var mayCommit = true
  /// True if the event follows from a delivery.
  ///
  /// A commit that has to wait for its turn then belongs to that delivery.
  var followsDelivery = false
  /// The deliveries that the event follows from.
  private(set) var lineage: DeliveryLineage?
  /// The deliveries that the next directives follow from: those of the event, or those of an effect that waited.
  private(set) var followed: DeliveryLineage?
  /// The height of the ready stack above which fibers are consequences of that effect.
  private var followedHeight = 0
  /// The tree whose prefix the pass is part of, if there is one.
  var tree: FiberID?
  /// The number of steps left before the lock is given up.
  var steps: Int32
  /// True if the pass can continue only after something has happened in other stores, and not just under another lock.
  private(set) var awaitsOthers = false
  private let stepLimit: Int32
  private var instant: Moment?
  /// The deadline at which the consequences happen, or `nil` if they happen now.
  private(set) var deadline: Moment?
  private let readClock: () -> Moment

  /// - Parameter stepLimit: the maximum number of effects to interpret under one lock.
  init(stepLimit: Int32 = 1024, clock: @escaping () -> Moment) {
    self.stepLimit = stepLimit
    steps = stepLimit
    readClock = clock
  }

  /// Starts the next event.
  mutating func start() {
    (instant, deadline) = (nil, nil)
    hasWaits = false
    hasCancelled = false
    passesBarriers = false
    awaitsOthers = false
    tree = nil
    steps = stepLimit
    begin(nil)
  }

  /// Records which deliveries the event follows from.
  @inline(__always)
  mutating func begin(_ lineage: DeliveryLineage?) { (self.lineage, followed, followedHeight) = (lineage, lineage, 0) }

  /// Continues with an effect that waited and its consequences, the fibers above this height of the ready stack.
  mutating func follow(_ lineage: DeliveryLineage?, above height: Int) {
    if lineage != followed { directives.append(.follow(lineage)) }
    (followed, followedHeight) = (lineage, height)
  }

  /// Continues with the event's other consequences once the ready stack is lower than that height.
  @inline(__always)
  mutating func stepped(to height: Int) {
    if height < followedHeight { follow(lineage, above: 0) }
  }

  mutating func trace(_ event: consuming TraceEvent<P>) {
    events.append(event)
    directives.append(.trace)
  }

  /// Sets the time for one part of the event: a deadline's effects begin at the deadline, however late the alarm was.
  mutating func setTime(to moment: Moment) { (instant, deadline) = (moment, moment) }

  /// - Returns: true if a step was left.
  @inline(__always)
  mutating func takeStep() -> Bool {
    guard steps > 0 else { return false }
    steps -= 1
    return true
  }

  /// Charges the steps of a search that visited this many fibers, identifiers or members.
  mutating func charge(_ visits: Int) { steps = max(0, steps - Int32(clamping: visits / 8)) }

  /// The number of visits that the remaining steps pay for, at least eight.
  var visitsLeft: Int { max(8, Int(steps) * 8) }

  /// The number of fibers that a search looks at first; small compared with the steps of a lock.
  var shortSearch: Int { max(1, min(Int(stepLimit), 64)) }

  /// True if the shell has something to do before the next step.
  var isInterrupted: Bool {
    !directives.isEmpty && directives[directives.count - 1].isEvaluate || steps <= 0
  }

  /// Stops the pass until something has happened in other stores.
  mutating func standStill() { (steps, awaitsOthers) = (0, true) }

  /// Stops the pass until a barrier has reached other stores.
  mutating func standStillForBarrier() { if !passesBarriers { standStill() } }

  var resumption: PassResumption {
    PassResumption(
      tree: tree, instant: instant, deadline: deadline, hasWaits: hasWaits, awaitsOthers: awaitsOthers,
      followed: followed, followedHeight: followedHeight)
  }

  mutating func resume(_ resumption: PassResumption, passingBarriers: Bool) {
    (tree, hasWaits) = (resumption.tree, resumption.hasWaits)
    (instant, deadline) = (resumption.instant, resumption.deadline)
    hasCancelled = false
    passesBarriers = passingBarriers
    awaitsOthers = false
    steps = stepLimit
    follow(resumption.followed, above: resumption.followedHeight)
  }

  mutating func now() -> Moment {
    if let instant { return instant }
    let moment = readClock()
    instant = moment
    return moment
  }
}
