/// The data guarded by a store's lock: the machine, and the shell's data beside it.
///
/// The state itself is guarded by the same lock.
///
/// `@unchecked` because the machine is generic and promises nothing about its parts: here these are `EffectProgram`,
/// `EffectID`, `TreeContext` and errors, all of them `Sendable`. The rest is values, `Sendable` references, and
/// observers, which are `Sendable` for the reasons given at ``CommitObserver``. A core can't be copied, and is
/// touched by the thread that has the lock only.
@usableFromInline
struct Core: ~Copyable, @unchecked Sendable {
  /// True if a commit on any thread only has to change the state: the store is active and bound to no actor, and has
  /// neither observers nor an instrument that sees commits.
  ///
  /// Stored, because a client's code reads it at each bare `set`.
  @usableFromInline private(set) var isUnobserved: Bool
  /// True if a commit needs at most to change the state and to tell observers.
  private(set) var isPlain: Bool
  /// True if commits happen on an actor, or an instrument is told of them.
  private let isNeverUnobserved: Bool
  var deliveries = DeliveryQueue()
  /// Changed by methods of the core only, which keep `isUnobserved` in step.
  private(set) var observers = ObserverList()
  var phase = StorePhase.active { didSet { updateFastPaths() } }
  /// Counts of the events that interrupt a shutdown.
  var interruptions = Interruptions()
  var machine: Machine<EffectProgram>
  var pass: Pass<EffectProgram>
  /// The running operations and sources, by the slot of their fiber.
  var runs = UniqueArray<Run?>()
  var alarm = Alarm<Task<Void, Never>>()
  /// State that few stores need; allocated on first use.
  private var occasional: Occasional?

  // Inlined, so that it is made in place, like the machine.
  @inline(__always)
  init(
    seed: UInt64, now: @escaping @Sendable () -> Moment, mapsErrors: Bool, traced: EventKinds, hasActor: Bool,
    foldsOperations: Bool
  ) {
    isNeverUnobserved = traced.contains(.committed) || hasActor
    isPlain = !isNeverUnobserved
    isUnobserved = isPlain
    machine = Machine(seed: seed)
    pass = Pass(clock: now)
    machine.mapsErrors = mapsErrors
    machine.traced = traced
    machine.foldsOperations = foldsOperations
  }
}

extension Core {
  /// Rarely used state behind one reference, so that a store has fewer fields to release.
  private final class Occasional {
    var latches: [Latch] = []
    var currentLatch: Latch?
    var unsettled = ""
    var cycle = ""
    var phaseWaiters: [PhaseWaiter] = []
    var shutdownCount = 0
    var cancelledByShutdown = InFlight()
    var stoppedHard = InFlight()
    var statePairs: StatePairs?
    var trails: [FiberID: DeliveryLoop.Trail] = [:]
  }

  private mutating func makeOccasional() -> Occasional {
    let made = occasional ?? Occasional()
    occasional = made
    return made
  }

  /// Barriers that are on their way into other stores.
  var latches: [Latch] {
    get { occasional?.latches ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().latches = newValue } }
  }
  /// The barrier that this pass is part of.
  var currentLatch: Latch? {
    get { occasional?.currentLatch }
    set { makeOccasional().currentLatch = newValue }
  }
  /// The bindings that were last reported as not settling, as text, because their identifiers belong to the user and
  /// must not be kept.
  var unsettled: String {
    get { occasional?.unsettled ?? "" }
    set { makeOccasional().unsettled = newValue }
  }
  /// The text of the last warning about a cycle of joins.
  var cycle: String {
    get { occasional?.cycle ?? "" }
    set { makeOccasional().cycle = newValue }
  }
  /// The shutdowns that wait for the end of a phase.
  var phaseWaiters: [PhaseWaiter] {
    get { occasional?.phaseWaiters ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().phaseWaiters = newValue } }
  }
  /// The number of calls that shut the store down.
  var shutdownCount: Int {
    get { occasional?.shutdownCount ?? 0 }
    set { makeOccasional().shutdownCount = newValue }
  }
  /// The effects that these calls have cancelled, whichever of them did.
  var cancelledByShutdown: InFlight {
    get { occasional?.cancelledByShutdown ?? InFlight() }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().cancelledByShutdown = newValue } }
  }
  /// The effects that a deactivation has stopped while these calls went on, without their cleanup.
  var stoppedHard: InFlight {
    get { occasional?.stoppedHard ?? InFlight() }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().stoppedHard = newValue } }
  }
}

extension Core {
  /// The states before and after commits, if the instrument wants them.
  var statePairs: StatePairs? {
    get { occasional?.statePairs }
    set { makeOccasional().statePairs = newValue }
  }

  /// True if nothing is in flight, observed, on its way to an observer, or set to wake the store.
  var isAtRest: Bool { machine.isAtRest && observers.isEmpty && deliveries.isEmpty && !alarm.isSet }

  /// True if effects are received.
  var isActive: Bool { phase == .active }
}

extension Core {
  // MARK: Turns on the store's actor

  /// Notes whether commits may happen on this thread, and whether those that have to wait follow from a delivery.
  @inline(__always)
  mutating func note(mayCommit: Bool) {
    machine.mayCommit = mayCommit
    let lineage = DeliveryLoop.lineage
    pass.followsDelivery = !mayCommit && lineage != nil
    if let lineage { pass.begin(lineage) }
  }

  /// True if a fiber that waits for its turn follows from a delivery.
  var hasTrails: Bool { occasional?.trails.isEmpty == false }

  /// Keeps the deliveries that have led to a fiber which waits for its turn on the store's actor.
  ///
  /// So a cycle of bindings between two actors, each round of which takes a turn on either, is found like any other.
  mutating func keep(_ trail: DeliveryLoop.Trail, of id: FiberID) { makeOccasional().trails[id] = trail }

  /// Returns the trail of the fiber whose turn is next, to be followed and released after the lock.
  mutating func takeTrailOfNextTurn() -> DeliveryLoop.Trail? {
    guard let turn = machine.turns.oldest, turn.followsDelivery else { return nil }
    return occasional?.trails.removeValue(forKey: turn.fiber)
  }

  /// Returns the trails that nobody follows any more, to be released after the lock.
  mutating func takeTrailsLeft() -> [FiberID: DeliveryLoop.Trail] {
    guard hasTrails, machine.turns.isEmpty, let occasional else { return [:] }
    defer { occasional.trails = [:] }
    return occasional.trails
  }
}

extension Core {
  // MARK: Observers

  private mutating func updateFastPaths() {
    isPlain = !isNeverUnobserved && isActive
    isUnobserved = isPlain && observers.isEmpty
  }

  mutating func append(_ observer: CommitObserver) {
    observers.append(observer)
    updateFastPaths()
  }

  /// Adds a tracked property that has just been read.
  ///
  /// - Returns: the copy to release after the lock.
  mutating func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) -> SourceCopy? {
    defer { updateFastPaths() }
    return observers.append(property, readFrom: state)
  }

  mutating func remove(_ observer: CommitObserver) {
    observers.remove(observer, &deliveries)
    updateFastPaths()
  }

  /// Removes a tracked property.
  ///
  /// - Returns: the copy to release after the lock.
  mutating func remove(tracked property: TrackedProperty) -> SourceCopy? {
    defer { updateFastPaths() }
    return observers.remove(tracked: property, &deliveries)
  }

  /// Removes the observers that end with the store's activity.
  ///
  /// - Returns: all observers, including those that stay.
  mutating func endActivity() -> [CommitObserver] {
    defer { updateFastPaths() }
    return observers.endActivity()
  }

  /// Notes a delivery to each observer that sees a new value in the state, inside the wrapper if there is one: in the
  /// chain that this commit has begun, or else in the queue.
  mutating func noteCommit(_ state: UnsafeRawPointer, in wrapper: DeliveryWrapper?) {
    observers.note(state, &deliveries, in: wrapper)
    if observers.isEmpty { updateFastPaths() }
  }

  /// Queues a delivery of a silent change to the observers that ask for it.
  mutating func noteSilently(_ state: UnsafeRawPointer) { observers.noteSilently(state, &deliveries) }
}
