/// What one lock guards: the machine and what the shell keeps beside it.
///
/// The state itself is guarded by the same lock.
///
/// `@unchecked` because the machine is generic and promises nothing of its parts: here these are `EffectProgram`,
/// `EffectID`, `TreeContext` and errors, all of them `Sendable`. The rest is values, `Sendable` references, and
/// observers, of which ``CommitObserver`` says why they are. A core can't be copied and never leaves its mutex.
struct Core: ~Copyable, @unchecked Sendable {
  var deliveries = DeliveryQueue()
  var observers = ObserverList()
  var phase = StorePhase.active
  /// Counts of the events that interrupt a shut-down.
  var interruptions = Interruptions()
  var machine: Machine<EffectProgram>
  var pass: Pass<EffectProgram>
  /// The running operations and sources, by the slot of their fiber.
  var runs = UniqueArray<Run?>()
  var alarm = Alarm()
  /// State that few stores need; allocated on first use.
  private var occasional: Occasional?

  // Made where it will be, like the machine.
  @inline(__always)
  init(seed: UInt64, now: @escaping @Sendable () -> Moment, mapsErrors: Bool, isTraced: Bool) {
    machine = Machine(seed: seed)
    pass = Pass(clock: now)
    machine.mapsErrors = mapsErrors
    machine.isTraced = isTraced
  }
}

extension Core {
  /// One reference in place of many: what a store is made with it has to release, too.
  private final class Occasional {
    var waves: [Latch] = []
    var currentWave: Latch?
    var unsettled = ""
    var circle = ""
    var phaseWaiters: [PhaseWaiter] = []
    var shutdownCount = 0
    var cancelledByShutdown = InFlight([])
  }

  private mutating func makeOccasional() -> Occasional {
    let made = occasional ?? Occasional()
    occasional = made
    return made
  }

  /// Barriers that are on their way into other stores.
  var waves: [Latch] {
    get { occasional?.waves ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().waves = newValue } }
  }
  /// The one that this pass is part of.
  var currentWave: Latch? {
    get { occasional?.currentWave }
    set { makeOccasional().currentWave = newValue }
  }
  /// The bindings that were last reported not to come to rest, in words: their identifiers are the user's, and not to
  /// be kept.
  var unsettled: String {
    get { occasional?.unsettled ?? "" }
    set { makeOccasional().unsettled = newValue }
  }
  /// The circle of joins that was last warned of, likewise.
  var circle: String {
    get { occasional?.circle ?? "" }
    set { makeOccasional().circle = newValue }
  }
  /// Shut-downs that wait until nothing is left to wait for.
  var phaseWaiters: [PhaseWaiter] {
    get { occasional?.phaseWaiters ?? [] }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().phaseWaiters = newValue } }
  }
  /// The number of calls that shut the store down.
  var shutdownCount: Int {
    get { occasional?.shutdownCount ?? 0 }
    set { makeOccasional().shutdownCount = newValue }
  }
  /// The effects that these have cancelled, whichever of them did.
  var cancelledByShutdown: InFlight {
    get { occasional?.cancelledByShutdown ?? InFlight([]) }
    set { if occasional != nil || !newValue.isEmpty { makeOccasional().cancelledByShutdown = newValue } }
  }
}

extension Core {
  /// Whether effects are received.
  var isActive: Bool { phase == .active }

  /// True if a commit only has to change the state: the store is active, and there is nobody to tell.
  @inline(__always)
  var tellsNobody: Bool { isActive && observers.isEmpty && deliveries.isEmpty && !machine.isTraced }
}

/// Counts of the events that interrupt a shut-down.
struct Interruptions: Equatable {
  var activations = 0
  /// Deactivations with something in flight, whose clean-up was skipped.
  var hardStops = 0
}

/// The one alarm of a store.
struct Alarm {
  /// When it is set for; `nil`: it is not.
  var moment: Moment?
  /// Tells the task that has the alarm from those that had it before.
  var serial: UInt64 = 0
  var task: Task<Void, Never>?
  /// Deadlines are being fired, after which the alarm is set anew.
  var isRinging = false
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
