/// The data guarded by a store's lock: the machine, and the shell's data beside it.
///
/// The same lock guards the state.
///
/// `@unchecked` because the machine is generic and promises nothing about its parts: here these are `EffectProgram`,
/// `EffectID`, `TreeContext` and errors, all of them `Sendable`. The rest is values, `Sendable` references, and
/// observers, which are `Sendable` for the reasons given at ``CommitObserver``. A core can't be copied, and only the
/// thread that holds the lock touches it.
@usableFromInline
struct Core: ~Copyable, @unchecked Sendable {
  /// True if a commit on any thread only has to change the state: the store is active, is bound to no actor, and has
  /// neither observers nor an instrument that sees commits.
  ///
  /// Stored, because client code reads it at each bare `set`.
  @usableFromInline private(set) var isUnobserved: Bool
  /// True if a commit needs at most to change the state and to notify observers.
  private(set) var isPlain: Bool
  /// True if commits happen on an actor, or an instrument records them.
  private let isNeverUnobserved: Bool
  var deliveries = DeliveryQueue()
  /// Changed only by methods of the core, which keep `isUnobserved` up to date.
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

  // Inlined, so that the core is created in place, like the machine.
  @inline(__always)
  init(seed: UInt64, now: @escaping @Sendable () -> Moment, _ options: MachineOptions, hasActor: Bool) {
    isNeverUnobserved = options.traced.contains(.committed) || hasActor
    isPlain = !isNeverUnobserved
    isUnobserved = isPlain
    machine = Machine(seed: seed, options)
    pass = Pass(clock: now)
  }
}

extension Core {
  /// Rarely used state behind one reference, so that a store has fewer fields to release.
  private final class Occasional {
    var latches: [Latch] = []
    var currentLatch: Latch?
    var lastReportedBindings = ""
    var lastReportedJoinCycle = ""
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

  /// Barriers that are spreading into other stores.
  var latches: [Latch] {
    get { occasional?.latches ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().latches = newValue } }
  }
  /// The barrier that this pass is part of.
  var currentLatch: Latch? {
    get { occasional?.currentLatch }
    set { makeOccasional().currentLatch = newValue }
  }
  /// The bindings last reported as not settling.
  ///
  /// Stored as text, because their identifiers belong to the user and must not be kept.
  var lastReportedBindings: String {
    get { occasional?.lastReportedBindings ?? "" }
    set { makeOccasional().lastReportedBindings = newValue }
  }
  /// The text of the last warning about a cycle of joins.
  var lastReportedJoinCycle: String {
    get { occasional?.lastReportedJoinCycle ?? "" }
    set { makeOccasional().lastReportedJoinCycle = newValue }
  }
  /// The shutdowns that wait for the end of a phase.
  var phaseWaiters: [PhaseWaiter] {
    get { occasional?.phaseWaiters ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().phaseWaiters = newValue } }
  }
  /// The number of calls that are shutting the store down.
  var shutdownCount: Int {
    get { occasional?.shutdownCount ?? 0 }
    set { makeOccasional().shutdownCount = newValue }
  }
  /// The effects that running shutdowns have cancelled.
  var cancelledByShutdown: InFlight {
    get { occasional?.cancelledByShutdown ?? InFlight() }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().cancelledByShutdown = newValue } }
  }
  /// The effects that a deactivation stopped without cleanup during a shutdown.
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

  /// True if nothing is in flight, nobody observes the store, nothing waits to be delivered, and the alarm is off.
  var isAtRest: Bool { machine.isAtRest && observers.isEmpty && deliveries.isEmpty && !alarm.isSet }

  /// True if the store accepts effects.
  var isActive: Bool { phase == .active }
}

extension Core {
  // MARK: Turns on the store's actor

  /// Records whether commits may happen on this thread, and whether commits that have to wait follow from a delivery.
  @inline(__always)
  mutating func note(mayCommit: Bool) {
    pass.mayCommit = mayCommit
    let lineage = DeliveryLoop.lineage
    pass.followsDelivery = !mayCommit && lineage != nil
    if let lineage { pass.begin(lineage) }
  }

  /// True if some fiber that waits for its turn follows from a delivery.
  var hasTrails: Bool { occasional?.trails.isEmpty == false }

  /// Stores the deliveries that led to a fiber that waits for its turn on the store's actor.
  ///
  /// This way, a cycle of bindings between two actors, whose rounds take a turn on both, is found like any other.
  mutating func keep(_ trail: DeliveryLoop.Trail, of id: FiberID) { makeOccasional().trails[id] = trail }

  /// Returns the trail of the fiber whose turn is next.
  ///
  /// The caller follows the trail, and releases it after the lock.
  mutating func takeTrailOfNextTurn() -> DeliveryLoop.Trail? {
    guard let turn = machine.turns.oldest, turn.followsDelivery else { return nil }
    return occasional?.trails.removeValue(forKey: turn.fiber)
  }

  /// Returns the trails that nothing follows any more, to be released after the lock.
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
  mutating func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) -> SourceComparison? {
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
  mutating func remove(tracked property: TrackedProperty) -> SourceComparison? {
    defer { updateFastPaths() }
    return observers.remove(tracked: property, &deliveries)
  }

  /// See ``ObserverList/endActivity()``.
  mutating func endActivity() -> [CommitObserver] {
    defer { updateFastPaths() }
    return observers.endActivity()
  }

  /// Records a commit's deliveries, in the chain that the commit has begun or else in the queue.
  mutating func noteCommit(_ state: UnsafeRawPointer, in wrapper: DeliveryWrapper?) {
    DeliveryLoop.note(state, &observers, &deliveries, in: wrapper)
    if observers.isEmpty { updateFastPaths() }
  }

  /// See ``ObserverList/noteSilently(_:_:)``.
  mutating func noteSilently(_ state: UnsafeRawPointer) { observers.noteSilently(state, &deliveries) }
}
