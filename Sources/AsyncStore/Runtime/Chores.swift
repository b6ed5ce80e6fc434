/// What one event leads to after the lock is released.
struct Chores {
  var list = ChoreList()
  /// The next operation of the strand whose driver reported the event: it goes on in the same task.
  var continuation: EffectNode?
  var hasDeliveries = false
}

/// What has to happen after the lock is released, in this order.
enum Chore {
  case start(StrandID, EffectNode, Run)
  case open(StrandID, EffectNode, Run)
  case cancel(Run)
  case cancelAlarm(Task<Void, Never>)
  indirect case tick(StrandID, EffectNode, TimerTick, due: Moment)
  case handle(StrandID, by: EffectNode?, any Error)
  case setAlarm(Moment, serial: UInt64)
  case takeTurn
  case settle(TreeContext, EffectOutcome, isOver: Bool)
  case over(TreeContext)
  case rested([@Sendable () -> Void])
  /// Let go of an effect: what its closures hold may call the store when it goes.
  case release(EffectNode)

  /// Whether it waits for the deliveries: who is told of an end is to find what is bound to the store up to date.
  var isEnding: Bool {
    switch self {
    case .settle, .over, .rested, .release: true
    default: false
    }
  }
}

/// A list of chores of which the first two, mostly all, take no memory of their own.
///
/// Those two are moved in and out: to copy a few references costs more than most of what is done with them. The others stay until
/// the list goes. What they hold, the runs of a thousand tasks for one, is then mostly freed by the thread that made it; to free it
/// from others, while this one makes more, has the threads wait for each other in the allocator.
struct ChoreList {
  private var first: Chore?
  private var second: Chore?
  private var others: ContiguousArray<Chore>?
  private(set) var count = 0

  mutating func append(_ chore: consuming Chore) {
    switch count {
    case 0: first = chore
    case 1: second = chore
    default:
      if others == nil { others = [] }
      others?.append(chore)
    }
    count += 1
  }

  /// Has room for so many more, got at once and not by doubling.
  mutating func reserve(_ more: Int) {
    guard count + more > 2 else { return }
    if others == nil { others = [] }
    others?.reserveCapacity(count + more - 2)
  }

  /// The chore at a place, once, if it is an ending or is none, as asked for.
  mutating func take(at index: Int, ifEnding isEnding: Bool) -> Chore? {
    switch index {
    case 0: first?.isEnding == isEnding ? first.take() : nil
    case 1: second?.isEnding == isEnding ? second.take() : nil
    default: others![index - 2].isEnding == isEnding ? others![index - 2] : nil
    }
  }
}
