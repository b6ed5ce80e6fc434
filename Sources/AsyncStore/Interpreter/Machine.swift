/// The interpreter: a value that turns events into directives.
///
/// It holds the live strands of all trees, their identifiers and their deadlines. Each event is one method; what the
/// shell has to do about it is appended to the ``Pass``. The machine holds no task, no clock and no lock, and calls no
/// user code. It never recurses over a tree: what is ready to step is on a stack of its own, and links lead upwards.
///
/// | event                                    | in short                                                       |
/// |------------------------------------------|----------------------------------------------------------------|
/// | `begin`                                  | interpret a tree up to its first waits                         |
/// | `evaluated`                              | the answer to the directive `evaluate`                         |
/// | `operationFinished`, `operationFailed`   | an operation returned: go on with its effect, or map its error |
/// | `operationGoesOn`                        | it returned a single operation: the short way of a recursion   |
/// | `handled`                                | an error was mapped: its effect takes the failed one's place   |
/// | `decided`                                | whether a failed attempt is followed by another one            |
/// | `fire`                                   | the earliest deadline that is due                              |
/// | `ticked`                                 | a tick was mapped to an effect other than a `set`              |
/// | `emitted`, `sourceEnded`, `sourceFailed` | streams and bindings                                           |
/// | `liftOver`                               | nothing of what a strand has lifted is left in the other store |
/// | `cancelled`, `cancelTree`, `cancelAll`   | the barrier: nothing below commits any more                    |
/// | `beginDraining`                          | timers and sources stop, and begin no more                     |
/// | `cancelAllSparingCleanup`                | the barrier, which leaves clean-ups alone                      |
/// | `turn`                                   | we are on the actor that commits happen on                     |
struct Machine<P: Program>: ~Copyable {
  /// Whether commits may happen where the machine is stepped now.
  ///
  /// Only for a store that is bound to an actor is it ever false.
  var mayCommit = true
  /// Whether the store has an error handler of its own.
  ///
  /// Without one an error that nothing recovers from is over at once.
  var mapsErrors = true
  /// Whether instruments want to be told.
  var isTraced = false

  var strands = Table<Strand<P>>()
  var freeSlots = Table<Int32>()
  /// Roots are siblings of each other.
  var firstRoot: Int32 = -1
  var liveCount = 0
  /// How many of them are only the windows of throttles, for which nobody waits.
  var windowCount = 0
  /// How many strands join.
  var joinCount = 0
  /// Trees whose attached part has not settled.
  var unsettledTrees = 0
  /// Timers and sources don't begin any more.
  var isDraining = false

  var names: [P.Identifier: Int32] = [:]
  var registrations: ContiguousArray<Registration<P.Identifier>> = []
  var freeRegistrations = Table<Int32>()
  var registrationSequence: UInt64 = 0

  var deadlines = DeadlineHeap()
  var ready = Table<StrandID>()
  /// Passes that have given up the lock with strands still to step.
  var suspensions: [Suspension] = []
  /// Whether a barrier is on its way from this machine into other stores: nothing that cancels may go on before it has
  /// arrived.
  var isSpreadingBarrier = false
  /// Strands that were cancelled just now and have to settle, the last one first.
  var marked = Table<StrandID>()
  /// Strands that wait for the actor that commits happen on, in the order they came to it.
  var turns = Table<StrandID>()

  /// The generation that new slots start with.
  var freshGeneration: UInt32 = 0

  /// Programs that strands have dropped.
  ///
  /// They may be the last references to what users' closures hold, so the shell releases them after the lock.
  var released = Table<P>()
  /// Errors that strands have dropped, likewise.
  var releasedFailures = Table<P.Failure>()

  /// Rare state of few strands, beside the table so that every strand stays small.
  var retries = SparseColumn<RetryState<P>>()
  var recoveries = SparseColumn<Recovery<P>>()
  /// The nearest recovery, and the nearest sequence, of strands that are far away from it.
  ///
  /// So nested effects take linear time. A strand's is forgotten with the strand.
  var recoveryShortcuts = SparseColumn<Int32>()
  var sequenceShortcuts = SparseColumn<Int32>()
  /// The length up to which the way to a recovery is followed each time.
  static var shortPath: Int { 16 }
  /// What a race without a winner, or a sequence, fails with.
  var failures = SparseColumn<P.Failure>()
  /// By the strands of sequences: one program that undoes what has completed, the newest first.
  var undos = SparseColumn<P>()
  var rootFailures = SparseColumn<P.Failure>()
  /// Effects that wait until those of their source's value before have settled.
  var backlogs = SparseColumn<Ring<P>>()
  /// Where the clean-up of a cancelled `finally` waits for it.
  var cleanups = SparseColumn<Int32>()
  /// The cancelled strands that clean-ups were left behind by, by the strands of the clean-ups.
  var origins = SparseColumn<Int32>()

  /// The identifier under which a new effect is taking the old one's place: to those that join it, it is in flight
  /// throughout.
  var replaced: Int32 = -1

  var generator: SplitMix64

  // Made where it will be: it is large.
  @inline(__always)
  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  // MARK: Events

  /// Interprets a tree up to its first waits.
  ///
  /// - Returns: the tree's root, or `nil` when all of it, detached effects included, is over already.
  @discardableResult
  mutating func begin(_ program: consuming P, context: consuming P.Context, _ pass: inout Pass<P>) -> StrandID? {
    let root = makeRoot(context: context, &pass)
    let id = self.id(of: root)
    unsettledTrees += 1
    pass.tree = id
    push(program, on: root)
    makeReady(root)
    step(&pass)
    return isAlive(id) ? id : nil
  }

  /// The mutation of the last `evaluate` directive has been applied and answered with this effect.
  mutating func evaluated(_ id: StrandID, _ program: P?, _ pass: inout Pass<P>) {
    resume(id, with: program, &pass)
  }

  /// An operation has returned this effect.
  mutating func operationFinished(_ id: StrandID, _ program: P?, _ pass: inout Pass<P>) {
    if isTraced, isAlive(id) { traceEnd(of: id.slot, isCancelled(id) ? .cancelled : .finished, &pass) }
    if !retries.isEmpty, isAlive(id) { endRetry(of: id.slot) }
    resume(id, with: program, &pass)
  }

  /// An operation has returned this program, which is a single operation: if nothing else is to be said of it, the
  /// strand stands at that one now, and operates still.
  ///
  /// - Parameter program: afterwards what the strand drops, in place of ``released``.
  /// - Returns: whether it does; if not, `operationFinished` has to be told.
  mutating func operationGoesOn(_ id: StrandID, with program: inout P?) -> Bool {
    guard !isTraced, !isCancelled(id), retries.isEmpty || retries[id.slot] == nil else { return false }
    let slot = Int(id.slot)
    if strands[slot].cursor < strands[slot].end {
      if let next = program.take() { push(next, on: id.slot) }
      strands[slot].cursor += 1
    } else {
      swap(&program, &strands[slot].program)
      (strands[slot].cursor, strands[slot].end) = (1, 1)
    }
    return true
  }

  /// We are on the actor that commits happen on: everything that waited for it goes on.
  mutating func turn(_ pass: inout Pass<P>) {
    var waiting = Table<StrandID>()
    swap(&waiting, &turns)
    // The ready stack is last in, first out.
    while let id = waiting.popLast() { if isAlive(id) { makeReady(id.slot) } }
    step(&pass)
  }

  private mutating func resume(_ id: StrandID, with program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    let slot = id.slot
    strands[Int(slot)].activity = .ready
    if strands[Int(slot)].flags.contains(.cancelled) {
      // Its result comes too late: the barrier.
      settleIfIdle(slot, &pass)
    } else {
      if let program { push(program, on: slot) }
      makeReady(slot)
    }
    step(&pass)
  }

  // MARK: The table

  func id(of slot: Int32) -> StrandID { StrandID(slot: slot, generation: strands[Int(slot)].generation) }

  /// Whether this strand exists still, cancelled or not.
  func isAlive(_ id: StrandID) -> Bool {
    id.slot < strands.count && strands[Int(id.slot)].generation == id.generation
      && strands[Int(id.slot)].flags.contains(.occupied)
  }

  /// True also for strands that are gone.
  func isCancelled(_ id: StrandID) -> Bool {
    !isAlive(id) || strands[Int(id.slot)].flags.contains(.cancelled)
  }

  /// The effect that a strand is at.
  func site(of id: StrandID) -> Site<P>? { isAlive(id) ? strands[Int(id.slot)].site : nil }

  func context(of id: StrandID) -> P.Context? {
    guard isAlive(id) else { return nil }
    return strands[Int(strands[Int(id.slot)].root)].context
  }

  private mutating func allocate(_ pass: inout Pass<P>) -> Int32 {
    liveCount += 1
    let begun = pass.now()
    if let slot = freeSlots.popLast() {
      strands[Int(slot)].flags = .occupied
      strands[Int(slot)].begun = begun
      return slot
    }
    strands.append { Strand() }
    let last = strands.count - 1
    strands[last].generation = freshGeneration
    strands[last].flags = .occupied
    strands[last].begun = begun
    return Int32(last)
  }

  mutating func makeRoot(context: consuming P.Context?, _ pass: inout Pass<P>) -> Int32 {
    let slot = allocate(&pass)
    strands[Int(slot)].root = slot
    strands[Int(slot)].boundary = slot
    strands[Int(slot)].flags.formUnion([.boundary, .lingers])
    strands[Int(slot)].context = context
    insert(slot, under: -1)
    return slot
  }

  mutating func makeChild(of parent: Int32, attached: Bool, boundary: Bool = false, _ pass: inout Pass<P>) -> Int32 {
    let slot = allocate(&pass)
    strands[Int(slot)].root = strands[Int(parent)].root
    strands[Int(slot)].boundary = boundary ? slot : strands[Int(parent)].boundary
    if boundary { strands[Int(slot)].flags.insert(.boundary) }
    strands[Int(slot)].catcher = strands[Int(parent)].catcher
    strands[Int(slot)].scope = strands[Int(parent)].registration >= 0 ? parent : strands[Int(parent)].scope
    strands[Int(slot)].nearestLabel = strands[Int(parent)].nearestLabel
    strands[Int(slot)].flags.formUnion(strands[Int(parent)].flags.intersection(.passesAttempts))
    if attached {
      strands[Int(slot)].flags.insert(.attached)
      strands[Int(parent)].pending += 1
    }
    insert(slot, under: parent)
    return slot
  }

  /// Appends to the children of `parent`; -1: to the roots.
  mutating func insert(_ slot: Int32, under parent: Int32) {
    strands[Int(slot)].parent = parent
    strands[Int(slot)].next = -1
    let first = parent < 0 ? firstRoot : strands[Int(parent)].firstChild
    if first < 0 {
      strands[Int(slot)].previous = slot
      if parent < 0 { firstRoot = slot } else { strands[Int(parent)].firstChild = slot }
    } else {
      let last = strands[Int(first)].previous
      strands[Int(slot)].previous = last
      strands[Int(last)].next = slot
      strands[Int(first)].previous = slot
    }
  }

  mutating func removeFromParent(_ slot: Int32) {
    let parent = strands[Int(slot)].parent
    let (previous, next) = (strands[Int(slot)].previous, strands[Int(slot)].next)
    let first = parent < 0 ? firstRoot : strands[Int(parent)].firstChild
    if first == slot {
      if parent < 0 { firstRoot = next } else { strands[Int(parent)].firstChild = next }
      if next >= 0 { strands[Int(next)].previous = previous }
    } else {
      strands[Int(previous)].next = next
      strands[Int(next >= 0 ? next : first)].previous = previous
    }
  }

  /// Gives the slot back.
  ///
  /// The programs it held go to ``released``, to be freed after the lock.
  mutating func free(_ slot: Int32) {
    removeFromParent(slot)
    if strands[Int(slot)].flags.contains(.recovers), let recovery = recoveries.removeValue(forKey: slot) {
      released.append(recovery.site.program)
    }
    strands[Int(slot)].vacate(releasing: &released)
    if !recoveryShortcuts.isEmpty { recoveryShortcuts[slot] = nil }
    if !sequenceShortcuts.isEmpty { sequenceShortcuts[slot] = nil }
    freeSlots.append(slot)
    liveCount -= 1
  }

  /// A store at rest keeps no large table.
  ///
  /// Generations go on from a number that no slot has had, so that an event that is still under way cannot meet a new
  /// tenant.
  mutating func releaseTableAtRest() {
    guard liveCount == 0, strands.count > 4096 || registrations.count > 4096 else { return }
    for slot in 0..<strands.count { freshGeneration = max(freshGeneration, strands[slot].generation) }
    freshGeneration &+= 1
    // All of them are vacant.
    strands.forgetAll()
    freeSlots = Table()
    ready = Table()
    marked = Table()
    names = [:]
    registrations = []
    freeRegistrations = Table()
    deadlines = DeadlineHeap()
  }

  // MARK: Frames

  /// Goes on with `program` before anything else that the strand has to do.
  ///
  /// In tail position the frame is replaced and not stacked, which is what lets a recursion run for ever.
  mutating func push(_ program: consuming P, on slot: Int32) {
    let end = program.count
    push(program, from: 0, to: end, on: slot)
  }

  mutating func push(_ program: consuming P, from start: Int, to end: Int, on slot: Int32) {
    let index = Int(slot)
    if let current = strands[index].program.take() {
      if strands[index].cursor < strands[index].end {
        strands[index].outer.append(
          Strand.Frame(program: current, cursor: strands[index].cursor, end: strands[index].end))
      } else {
        released.append(current)
      }
    }
    strands[index].program = program
    strands[index].cursor = Int32(start)
    strands[index].end = Int32(end)
  }

  func hasMoreToDo(_ slot: Int32) -> Bool {
    strands[Int(slot)].cursor < strands[Int(slot)].end || !strands[Int(slot)].outer.isEmpty
  }

  /// Has the strand go on with what it does next.
  mutating func makeReady(_ slot: Int32) {
    strands[Int(slot)].activity = .ready
    schedule(slot)
  }

  /// Puts the strand on the ready stack as it is.
  mutating func schedule(_ slot: Int32) {
    guard !strands[Int(slot)].flags.contains(.onReadyStack) else { return }
    strands[Int(slot)].flags.insert(.onReadyStack)
    ready.append(id(of: slot))
  }

  /// Has the strand go on behind what was made ready since the stack had this height.
  ///
  /// So what a cancel leads to, clean-ups above all, goes as far as it can before what follows the cancel.
  mutating func makeReady(_ slot: Int32, behind height: Int) {
    strands[Int(slot)].activity = .ready
    guard !strands[Int(slot)].flags.contains(.onReadyStack) else { return }
    strands[Int(slot)].flags.insert(.onReadyStack)
    ready.insert(id(of: slot), at: height)
  }
}
