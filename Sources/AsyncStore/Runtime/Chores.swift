/// Everything that one event leads to after the lock is released.
struct Chores {
  /// First of all: the barrier reaches other stores, and what was cancelled is asked to end.
  var cancels: Cancels?
  /// In their order, and before the deliveries.
  var starts = ChoreList<Chore>()
  /// After the deliveries: who is told of an end is to find what is bound to the store up to date.
  var endings = ChoreList<Ended>()
  /// The next operation of the fiber whose driver reported the event: it goes on in the same task.
  var continuation: EffectNode?
  /// An effect to be released: of most events that release any it is the only one, and goes when these chores go.
  var released: EffectNode?
  var hasDeliveries = false
  /// The rest of the pass, for which the lock has to be taken again.
  var suspension: Suspension?

  /// The barrier: from here on nothing of the run begins.
  mutating func cancel(_ run: Run) {
    run.markCancelled()
    if cancels == nil { cancels = Cancels() }
    cancels?.runs.append(run)
  }
}

/// Runs that were cancelled under one lock.
struct Cancels {
  /// They are marked, and have not been asked to end.
  var runs: ContiguousArray<Run> = []
  /// Opened once the barrier has reached the other stores that the runs have lifted effects into.
  var ownWave: Latch?
  /// The store has begun to stand still for it.
  var standsStill = false
  /// Barriers of other threads' cancels that are on their way: nothing may go on before they have arrived.
  var otherWaves: [Latch] = []
}

/// What has to happen once the lock is released.
enum Chore {
  case start(Run)
  case open(Run)
  case cancelAlarm(Task<Void, Never>)
  case tick(FiberID, EffectNode, Tick)
  case handle(FiberID, by: EffectNode?, any Error)
  case decide(FiberID, by: EffectNode, any Error)
  case setAlarm(Moment, serial: UInt64)
  case takeTurn
  case reportCircle([EffectID])
}

/// What has ended, and whom to tell.
enum Ended {
  case settle(TreeContext, EffectOutcome, isOver: Bool)
  case over(TreeContext)
  case rested([PhaseWaiter])
  /// Release effects: what their closures hold may call the store when it goes.
  case release(EffectNode, EffectNode?, EffectNode?)
  /// Release errors and identifiers, likewise.
  case releaseError(any Error)
  case releaseIdentifier(EffectID)
}

/// A list of which the first three, mostly all, take no memory of their own.
///
/// Those are moved in and out: to copy a few references costs more than most of what is done with them. The others stay
/// until the list goes. What they hold, for example the runs of a thousand tasks, is then mostly freed by the thread
/// that made it; to free it from others, while this one makes more, has the threads wait for each other in the
/// allocator.
struct ChoreList<Item> {
  private var first: Item?
  private var second: Item?
  private var third: Item?
  private var others: ContiguousArray<Item>?
  private(set) var count = 0

  mutating func append(_ item: consuming Item) {
    switch count {
    case 0: first = item
    case 1: second = item
    case 2: third = item
    default:
      if others == nil { others = [] }
      others?.append(item)
    }
    count += 1
  }

  /// Has room for so many more, got at once and not by doubling.
  mutating func reserve(_ more: Int) {
    guard count + more > 3 else { return }
    if others == nil { others = [] }
    others?.reserveCapacity(count + more - 3)
  }

  /// The item at a place, to be taken once.
  mutating func take(at index: Int) -> Item {
    switch index {
    case 0: first.take()!
    case 1: second.take()!
    case 2: third.take()!
    default: others![index - 3]
    }
  }
}
