/// The interpreter: a value that turns events into directives.
///
/// The machine holds the live fibers of all trees, their identifiers and their deadlines. Each event is one method,
/// listed below, which appends the shell's work to the ``Pass``. Further methods answer the shell's questions, and
/// record what the shell knows about other stores. The rules that handle the events are in `Rules`.
///
/// The machine holds no task, clock or lock. The only user code that it calls is `==` and `hash(into:)` of identifiers
/// and, through the pass, `now` of the store's clock. It never recurses over a tree: fibers that are ready to step are
/// on a stack of their own, and links are followed in loops.
///
/// | event                                        | in short                                                         |
/// |----------------------------------------------|------------------------------------------------------------------|
/// | `received`                                   | interpret a tree up to its first waits                           |
/// | `evaluated`                                  | the answer to the directive `evaluate`                           |
/// | `operationFinished`, `operationFailed`       | an operation returned its next effect, or threw                  |
/// | `operationFollowed`                          | an operation returned a single operation: the fast path          |
/// | `operationReceived`, `lastOperationFinished` | the fast paths for a tree that is a single operation             |
/// | `operationWithdrawn`                         | a cancelled operation has not started and never will             |
/// | `handled`                                    | an error was mapped: its effect takes the failed one's place     |
/// | `decided`                                    | whether a failed attempt is repeated                             |
/// | `timePassed`                                 | the earliest deadline is due                                     |
/// | `ticked`                                     | a tick was mapped to an effect that was not committed in place   |
/// | `emitted`, `sourceEnded`, `sourceFailed`     | streams and bindings                                             |
/// | `emissionDelayed`, `emissionEnded`           | part of a value's very long effect continues in a task           |
/// | `emissionsContinued`                         | the effects that waited for it begin, one by one                 |
/// | `liftSettled`                                | an effect that a fiber lifted into another store has settled     |
/// | `liftEnded`                                  | nothing of a fiber's lifted effect is left in the other store    |
/// | `cancelled`, `treeCancelled`, `allCancelled` | the barrier: nothing below commits any more                      |
/// | `barrierArrived`                             | every barrier has reached the other stores                       |
/// | `drainingBegan`, `drainingEnded`             | timers and sources stop and none may begin; new ones may begin   |
/// | `treeDrainingBegan`, `treeDrainingEnded`     | the same for one tree that another store has lifted              |
/// | `allCancelledSparingCleanup`                 | the barrier, except for cleanups                                 |
/// | `turnCame`                                   | the machine is stepped on the actor that commits happen on       |
struct Machine<P: Program>: ~Copyable {
  var options: MachineOptions
  var fibers = FiberTable<P>()
  var registry = ScopeRegistry<P.Identifier>()
  var counts = FiberCounts()
  /// Fibers that something has begun to wait for, perhaps in a cycle.
  ///
  /// The end of the step looks for cycles through them.
  var newlyAwaited = UniqueArray<FiberID>()
  /// True while timers and sources must not begin.
  var isDraining = false

  var deadlines = DeadlineHeap()
  /// The stack of fibers to step.
  var ready = UniqueArray<FiberID>()
  /// The fibers that wait for a scope to begin before each of them replaces it, by scope.
  ///
  /// `nil` if there are none: creating and releasing an empty dictionary takes as many instructions as a change of the
  /// state.
  var replacers: [FiberID: [FiberID]]?
  /// Passes that have given up the lock with fibers still to step.
  var suspensions = UniqueArray<Suspension>()
  /// True while a barrier is spreading from this machine into other stores.
  ///
  /// No effect that cancels may continue before the barrier has arrived.
  var isSpreadingBarrier = false
  /// Fibers that were just cancelled and have to settle, the last one first.
  var marked = UniqueArray<FiberID>()
  /// Fibers that wait for the actor that commits happen on, in order of arrival.
  var turns = Queue<Turn>()

  var released = ReleasedParts<P>()

  /// The version of the paths to recoveries; increases whenever a shortcut may have become wrong.
  var pathVersion: UInt32 = 0
  /// The longest path to a recovery that is followed each time; a longer path gets a shortcut.
  static var shortPath: Int { 16 }

  /// The identifier under which a new effect is replacing the old one.
  ///
  /// Effects that join the identifier see it in flight throughout.
  var registrationBeingReplaced = RegistrationSlot.none

  var generator: SplitMix64

  // Inlined, so that the large machine is created in place.
  @inline(__always)
  init(seed: UInt64, _ options: MachineOptions = MachineOptions()) {
    self.options = options
    generator = SplitMix64(seed: seed)
  }

  // MARK: The table

  func id(of slot: FiberSlot) -> FiberID { fibers.id(of: slot) }

  /// Returns whether this fiber still exists, cancelled or not.
  func isAlive(_ id: FiberID) -> Bool { fibers.isAlive(id) }

  /// Returns whether this fiber is cancelled or gone.
  func isCancelled(_ id: FiberID) -> Bool { fibers.isCancelled(id) }

  /// Returns whether the fiber waits for an operation.
  func isOperating(_ id: FiberID) -> Bool {
    guard isAlive(id), case .operating = fibers[id.slot].activity else { return false }
    return true
  }

  /// Returns the current effect of a fiber.
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
    // An operation folded into the parent began before the new child.
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

  /// Begins an attached child that runs `program` before its parent continues.
  ///
  /// - Parameter height: the height of the ready stack at which to insert the child, or `nil` for the top.
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

  /// Frees the slot.
  ///
  /// The fiber's programs move to ``released``, to be released after the lock.
  mutating func free(_ slot: FiberSlot) { fibers.free(slot, to: &released) }

  /// True if nothing is in flight: no fiber, no identifier, no deadline.
  var isAtRest: Bool { fibers.liveCount == 0 && registry.isEmpty && deadlines.isEmpty }

  /// Returns whether everything has settled, for a caller that waits for that; windows of throttles don't count.
  ///
  /// - Parameter ignoringSources: true if timers, streams and bindings don't count either.
  func hasSettled(ignoringSources: Bool = false) -> Bool {
    if !ignoringSources { return fibers.liveCount == counts.windows }
    // A cancelled tree settles before the cleanups that it has left behind.
    return counts.unsettledTrees == 0 && counts.treeCleanups == 0
  }

  /// Releases the large tables of a machine without fibers.
  mutating func releaseTables() {
    guard fibers.liveCount == 0, fibers.count > 4096 || registry.count > 4096 else { return }
    fibers.releaseMemory()
    registry.releaseMemory()
    ready = UniqueArray()
    marked = UniqueArray()
    deadlines = DeadlineHeap()
    // No fiber is alive, so those in line are gone.
    turns = Queue()
  }

  // MARK: Frames

  /// Makes the fiber run `program` before its remaining work.
  ///
  /// A frame in tail position is replaced and not stacked, so that a recursion can run forever.
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

  /// Puts a new fiber at an effect that has begun, with nothing after it.
  mutating func stand(_ slot: FiberSlot, at site: Site<P>) { push(site.effect, from: 1, to: 1, on: slot) }

  func hasMoreToDo(_ slot: FiberSlot) -> Bool {
    fibers[slot].cursor < fibers[slot].end || !fibers[slot].outer.isEmpty
  }

  /// Makes the fiber ready to continue with its remaining work.
  mutating func makeReady(_ slot: FiberSlot) {
    fibers[slot].activity = .ready
    schedule(slot)
  }

  /// Puts the fiber on the ready stack without changing its activity.
  mutating func schedule(_ slot: FiberSlot) {
    guard !fibers[slot].flags.contains(.scheduled) else { return }
    fibers[slot].flags.insert(.scheduled)
    ready.append(id(of: slot))
  }

  /// Makes the fiber ready, to continue after the fibers that became ready since the stack had this height.
  ///
  /// This makes the consequences of a cancel, above all cleanups, run up to their first waits before the effect after
  /// the cancel begins.
  mutating func makeReady(_ slot: FiberSlot, behind height: Int) {
    fibers[slot].activity = .ready
    guard !fibers[slot].flags.contains(.scheduled) else { return }
    fibers[slot].flags.insert(.scheduled)
    ready.insert(id(of: slot), at: height)
  }
}
