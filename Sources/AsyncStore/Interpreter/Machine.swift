/// The interpreter: a value that turns events into directives.
///
/// It holds the live fibers of all trees, their identifiers and their deadlines. Each event is one method, listed
/// below; what the shell has to do about it is appended to the ``Pass``. Further methods answer the shell's questions,
/// and note what it knows of other stores. The machine holds no task, clock or lock. The only user code
/// that it calls is `==` and `hash(into:)` of identifiers and, through the pass, `now` of the store's clock. It never
/// recurses over a tree: fibers that are ready to step are on a stack of their own, and links are followed in loops.
///
/// | event                                        | in short                                                         |
/// |----------------------------------------------|------------------------------------------------------------------|
/// | `received`                                   | interpret a tree up to its first waits                           |
/// | `evaluated`                                  | the answer to the directive `evaluate`                           |
/// | `operationFinished`, `operationFailed`       | an operation returned: go on with its effect, or map its error   |
/// | `operationFollowed`                          | it returned, and a single operation follows: the fast path       |
/// | `operationReceived`, `lastOperationFinished` | the fast paths of a tree that is a single operation              |
/// | `handled`                                    | an error was mapped: its effect takes the failed one's place     |
/// | `decided`                                    | whether a failed attempt is followed by another one              |
/// | `timePassed`                                 | the earliest deadline is due                                     |
/// | `ticked`                                     | a tick was mapped to an effect that was not committed in place   |
/// | `emitted`, `sourceEnded`, `sourceFailed`     | streams and bindings                                             |
/// | `emissionDelayed`, `emissionEnded`           | a part of a value's very long effect goes on in a task           |
/// | `emissionsContinued`                         | the effects that have waited for that begin, one after the other |
/// | `liftSettled`                                | the effect that a fiber has lifted to another store has settled  |
/// | `liftEnded`                                  | nothing of what a fiber has lifted is left in the other store    |
/// | `cancelled`, `treeCancelled`, `allCancelled` | the barrier: nothing below commits any more                      |
/// | `drainingBegan`, `drainingEnded`             | timers and sources stop, and none may begin; new ones may begin  |
/// | `treeDrainingBegan`, `treeDrainingEnded`     | the same for one tree, which another store has lifted            |
/// | `allCancelledSparingCleanup`                 | the barrier, which leaves cleanups alone                         |
/// | `turnCame`                                   | the step happens on the actor that commits happen on             |
struct Machine<P: Program>: ~Copyable {
  /// True if commits may happen where the machine is stepped now.
  ///
  /// It is false only for a store that is bound to an actor.
  var mayCommit = true
  /// True if the store has an error handler of its own.
  ///
  /// Without one, an error that nothing recovers from is over at once.
  var mapsErrors = true
  /// The events that instruments want to be told of.
  var traced: EventKinds = []
  var isTraced: Bool { !traced.isEmpty }
  /// True if operations may be folded: no instrument asks what each of them is part of.
  var foldsOperations = true
  /// The number of fibers that are folded now.
  var foldedCount = 0

  var fibers = FiberTable<P>()
  var registry = ScopeRegistry<P.Identifier>()
  /// The number of fibers that are only the windows of throttles, for which nobody waits.
  var windowCount = 0
  /// The number of fibers that join.
  var joinCount = 0
  /// Fibers that something has begun to wait for, perhaps in a cycle; the end of the step looks for cycles through
  /// them.
  var newlyAwaited = UniqueArray<FiberID>()
  /// The number of received trees whose attached part has not settled.
  var unsettledTrees = 0
  /// The number of cancelled trees beside them that settle with what they have left behind.
  var lateTrees = 0
  /// True while timers and sources don't begin.
  var isDraining = false
  /// The store whose machine this is; a lift into it is interpreted in the lift's place.
  var store: ObjectIdentifier?

  var deadlines = DeadlineHeap()
  /// The stack of the fibers to step.
  var ready = UniqueArray<FiberID>()
  /// The fibers that go on when a scope has begun, each to replace it, by the scope.
  ///
  /// `nil` if there are none: to make and to release an empty dictionary takes as many instructions as a change of the
  /// state.
  var followers: [FiberID: [FiberID]]?
  /// Passes that have given up the lock with fibers still to step.
  var suspensions = UniqueArray<Suspension>()
  /// True while a barrier is on its way from this machine into other stores.
  ///
  /// Nothing that cancels may go on before the barrier has arrived.
  var isSpreadingBarrier = false
  /// Fibers that were cancelled just now and have to settle, the last one first.
  var marked = UniqueArray<FiberID>()
  /// Fibers that wait for the actor that commits happen on, in the order they came to it.
  var turns = Queue<Turn>()

  /// Programs that fibers have given up.
  ///
  /// They may be the last references to what users' closures hold, so the shell releases them after the lock.
  var released = UniqueArray<P>()
  /// Errors that fibers have given up, released after the lock too.
  var releasedFailures = UniqueArray<P.Failure>()
  /// Identifiers that are out of use, released after the lock too.
  var releasedIdentifiers = UniqueArray<P.Identifier>()

  /// The number of cleanups for which cancelled fibers stay.
  var ownedCleanupCount = 0
  /// The number of those cleanups whose tree was cancelled as a whole.
  var treeCleanupCount = 0
  /// The version of the paths to recoveries; it increases whenever a shortcut may have become wrong.
  var pathVersion: UInt32 = 0
  /// The longest path to a recovery that is followed each time; a longer one gets a shortcut.
  static var shortPath: Int { 16 }

  /// The identifier under which a new effect is replacing the old one.
  ///
  /// For effects that join it, it is in flight throughout.
  var registrationBeingReplaced = RegistrationSlot.none

  var generator: SplitMix64

  // Inlined, so that the machine, which is large, is made in place.
  @inline(__always)
  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  // MARK: Events

  /// Interprets a tree up to its first waits.
  ///
  /// - Returns: the tree's root, or `nil` when all of it, detached effects included, is over already.
  @discardableResult
  mutating func received(_ program: consuming P, context: consuming P.Context, _ pass: inout Pass<P>) -> FiberID? {
    let root = makeRoot(context: context, &pass)
    let id = self.id(of: root)
    unsettledTrees += 1
    pass.tree = id
    push(consume program, on: root)
    schedule(root)
    step(&pass)
    return isAlive(id) ? id : nil
  }

  /// Continues a fiber with the effect that the mutation of the last `evaluate` directive returned.
  mutating func evaluated(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    resume(id, with: program, &pass)
  }

  /// Continues a fiber with the effect that its operation returned, or ends it if it was cancelled.
  mutating func operationFinished(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    if traced.contains(.settled), isAlive(id) { traceEnd(of: id.slot, isCancelled(id) ? .cancelled : .finished, &pass) }
    guard isAlive(id) else { return }
    var id = id
    if program == nil, isFolded(id.slot) {
      endFolded(id.slot, &pass)
    } else {
      id = self.id(of: unfold(id.slot, &pass))
      if isRetrying(id.slot) { endRetry(of: id.slot, &pass) }
    }
    resume(id, with: program, &pass)
  }

  /// Continues what waited for the actor that commits happen on, one after the other; called on that actor.
  ///
  /// It stops when the shell has to do something first. The others stay in line then, so that nothing that comes
  /// meanwhile can commit before them, and the shell reports the event again for them. It also stops before and after
  /// an effect that follows from a delivery.
  ///
  /// - Returns: true if it has stopped only for that.
  @discardableResult
  mutating func turnCame(_ pass: inout Pass<P>) -> Bool {
    var last: Turn?
    while !pass.isInterrupted, let turn = turns.oldest {
      if let last, last.followsDelivery || turn.followsDelivery { return true }
      last = turns.popFirst()
      let id = turn.fiber
      guard isAlive(id) else { continue }
      if !isCancelled(id), case .turn = fibers[id.slot].activity { traceWaitEnd(.turn, of: id.slot, &pass) }
      makeReady(id.slot)
      step(&pass)
    }
    return false
  }

  /// Makes a fiber ready again, with an effect to go on with; if it was cancelled, the effect is dropped.
  private mutating func resume(_ id: FiberID, with program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    let slot = id.slot
    fibers[slot].activity = .ready
    if fibers[slot].flags.contains(.cancelled) {
      // The barrier: its result comes too late.
      settleIfIdle(slot, &pass)
    } else {
      if let program { push(program, on: slot) }
      makeReady(slot)
    }
    step(&pass)
  }

  // MARK: The table

  func id(of slot: FiberSlot) -> FiberID { fibers.id(of: slot) }

  /// Returns whether this fiber still exists, cancelled or not.
  func isAlive(_ id: FiberID) -> Bool { fibers.isAlive(id) }

  /// True also for fibers that are gone.
  func isCancelled(_ id: FiberID) -> Bool { fibers.isCancelled(id) }

  /// Returns whether the fiber waits for an operation.
  func isOperating(_ id: FiberID) -> Bool {
    guard isAlive(id), case .operating = fibers[id.slot].activity else { return false }
    return true
  }

  /// Returns the effect that a fiber is at.
  func site(of id: FiberID) -> Site<P>? { isAlive(id) ? fibers[id.slot].site : nil }

  @inline(__always)
  func context(of id: FiberID) -> P.Context? {
    guard isAlive(id) else { return nil }
    return fibers[fibers[id.slot].root].context
  }

  mutating func makeRoot(context: consuming P.Context?, _ pass: inout Pass<P>) -> FiberSlot {
    let slot = fibers.allocate(begun: pass.now())
    fibers[slot].root = slot
    fibers[slot].boundary = slot
    fibers[slot].flags.formUnion([.boundary, .lingers])
    fibers[slot].context = context
    fibers.insert(slot, under: .none)
    return slot
  }

  mutating func makeChild(of parent: FiberSlot, attached: Bool, boundary: Bool = false, _ pass: inout Pass<P>)
    -> FiberSlot
  {
    // An operation's fiber was there first.
    unfold(parent, &pass)
    return makeChild(of: parent, attached: attached, boundary: boundary, begun: pass.now())
  }

  mutating func makeChild(of parent: FiberSlot, attached: Bool, boundary: Bool, begun: Moment) -> FiberSlot {
    let slot = fibers.allocate(begun: begun)
    fibers[slot].root = fibers[parent].root
    fibers[slot].boundary = boundary ? slot : fibers[parent].boundary
    if boundary { fibers[slot].flags.insert(.boundary) }
    fibers[slot].catcher = fibers[parent].catcher
    fibers[slot].scope = fibers[parent].registration.exists ? parent : fibers[parent].scope
    if let label = fibers[parent].nearestLabel { fibers[slot].nearestLabel = label }
    fibers[slot].flags.formUnion(fibers[parent].flags.intersection(.passesAttempts))
    if attached {
      fibers[slot].flags.insert(.attached)
      fibers[parent].pending += 1
    }
    fibers.insert(slot, under: parent)
    return slot
  }

  /// Begins an attached child that runs `program`, before its parent goes on.
  ///
  /// - Parameter height: the height of the ready stack that the child goes on at, or `nil` for the top.
  @discardableResult
  mutating func beginChild(
    running program: consuming P, of parent: FiberSlot, boundary: Bool = false, behind height: Int? = nil,
    _ pass: inout Pass<P>
  ) -> FiberSlot {
    let child = makeChild(of: parent, attached: true, boundary: boundary, &pass)
    push(consume program, on: child)
    if let height { makeReady(child, behind: height) } else { makeReady(child) }
    return child
  }

  /// Gives the slot back.
  ///
  /// The programs it held go to ``released``, to be freed after the lock.
  mutating func free(_ slot: FiberSlot) { fibers.free(slot, releasing: &released, &releasedFailures) }

  /// True if nothing is in flight: no fiber, no identifier, no deadline.
  var isAtRest: Bool { fibers.liveCount == 0 && registry.isEmpty && deadlines.isEmpty }

  /// Releases the large tables of a machine without fibers.
  mutating func releaseTables() {
    guard fibers.liveCount == 0, fibers.count > 4096 || registry.count > 4096 else { return }
    fibers.releaseMemory()
    registry.releaseMemory()
    ready = UniqueArray()
    marked = UniqueArray()
    deadlines = DeadlineHeap()
    // Those in line are gone.
    turns = Queue()
  }

  // MARK: Frames

  /// Makes the fiber run `program` before anything else that it has to do.
  ///
  /// In tail position the frame is replaced and not stacked, so that a recursion can run forever.
  mutating func push(_ program: consuming P, on slot: FiberSlot) {
    let end = program.count
    push(consume program, from: 0, to: end, on: slot)
  }

  mutating func push(_ program: consuming P, from start: Int, to end: Int, on slot: FiberSlot) {
    if let current = fibers[slot].program.take() {
      if fibers[slot].cursor < fibers[slot].end {
        fibers[slot].outer.append(
          Fiber.Frame(program: current, cursor: fibers[slot].cursor, end: fibers[slot].end))
      } else {
        released.append(current)
      }
    }
    fibers[slot].program = consume program
    fibers[slot].cursor = Int32(start)
    fibers[slot].end = Int32(end)
  }

  /// Makes a new fiber stand at an effect that has begun, with nothing behind it.
  mutating func stand(_ slot: FiberSlot, at site: Site<P>) { push(site.effect, from: 1, to: 1, on: slot) }

  func hasMoreToDo(_ slot: FiberSlot) -> Bool {
    fibers[slot].cursor < fibers[slot].end || !fibers[slot].outer.isEmpty
  }

  /// Makes the fiber ready to go on with its remaining work.
  mutating func makeReady(_ slot: FiberSlot) {
    fibers[slot].activity = .ready
    schedule(slot)
  }

  /// Puts the fiber on the ready stack as it is.
  mutating func schedule(_ slot: FiberSlot) {
    guard !fibers[slot].flags.contains(.onReadyStack) else { return }
    fibers[slot].flags.insert(.onReadyStack)
    ready.append(id(of: slot))
  }

  /// Makes the fiber ready, to go on after the fibers that were made ready since the stack had this height.
  ///
  /// So the consequences of a cancel, above all cleanups, run until they wait before the effect after the cancel
  /// begins.
  mutating func makeReady(_ slot: FiberSlot, behind height: Int) {
    fibers[slot].activity = .ready
    guard !fibers[slot].flags.contains(.onReadyStack) else { return }
    fibers[slot].flags.insert(.onReadyStack)
    ready.insert(id(of: slot), at: height)
  }
}
