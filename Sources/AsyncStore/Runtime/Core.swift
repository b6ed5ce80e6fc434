/// What one lock guards: the machine and what the shell keeps beside it.
///
/// The state itself is guarded by the same lock.
///
/// `@unchecked` because the machine is generic and promises nothing of its parts: here these are `EffectProgram`, `EffectID`,
/// `TreeContext` and errors, all of them `Sendable`. The rest is values, `Sendable` references, and observers, of which
/// ``CommitObserver`` says why they are. A core can't be copied and never leaves its mutex.
struct Core: ~Copyable, @unchecked Sendable {
  var machine: Machine<EffectProgram>
  var pass: Pass<EffectProgram>
  var isActive = true
  /// The running operations and sources, by the slot of their strand.
  var runs: ContiguousArray<Run?> = []
  var alarm = Alarm()
  var observers = ObserverList()
  var deliveries = DeliveryQueue()
  /// The bindings that were last reported not to come to rest.
  var unsettled: [EffectID] = []
  /// Who waits until nothing of the store's is running any more.
  var restWaiters: [@Sendable () -> Void] = []

  init(seed: UInt64, now: @escaping @Sendable () -> Moment, mapsErrors: Bool, isTraced: Bool) {
    machine = Machine(seed: seed)
    pass = Pass(clock: now)
    machine.mapsErrors = mapsErrors
    machine.isTraced = isTraced
  }
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

/// What has to happen after the lock is released, in this order.
enum Chore {
  case start(StrandID, EffectNode, Run)
  case open(StrandID, EffectNode, Run)
  case cancel(Run)
  case cancelAlarm(Task<Void, Never>)
  indirect case tick(StrandID, EffectNode, TimerTick, due: Moment)
  case handle(StrandID, by: EffectNode?, any Error)
  case settle(TreeContext, EffectOutcome, isOver: Bool)
  case over(TreeContext)
  /// Let go of an effect: what its closures hold may call the store when it goes.
  case release(EffectNode)
  case setAlarm(Moment, serial: UInt64)
  case takeTurn
  case rested([@Sendable () -> Void])
}

/// A list of chores of which the first two, mostly all, take no memory of their own.
struct ChoreList {
  private var first: Chore?
  private var second: Chore?
  private var others: ContiguousArray<Chore> = []
  private var count = 0

  mutating func append(_ chore: Chore) {
    switch count {
    case 0: first = chore
    case 1: second = chore
    default: others.append(chore)
    }
    count += 1
  }

  /// Has room for so many more.
  mutating func reserve(_ more: Int) {
    if count + more > 2 { others.reserveCapacity(count + more - 2) }
  }

  func forEach(_ body: (Chore) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    for chore in others { body(chore) }
  }
}

/// The chores of one event, and what the caller itself goes on with.
struct Chores {
  var list = ChoreList()
  /// The next operation of the strand whose driver reported the event: it goes on in the same task.
  var continuation: EffectNode?
  var hasDeliveries = false
}
