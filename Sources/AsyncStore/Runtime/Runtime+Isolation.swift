import CAsyncStore

/// The actor that a store may be bound to, and turns on it for effects received elsewhere.
extension Runtime {
  /// Returns whether commits are known to be allowed on this thread.
  ///
  /// If not, they wait for a turn on the actor, which is always correct.
  @inline(__always)
  func isOnIsolation() -> Bool { isolation == nil || isOnActor() }

  @inline(never)
  private func isOnActor() -> Bool {
    guard let isolation else { return true }
    let thread = Thread.record
    // The address is compared and never followed; it is set while ``on(_:_:)`` keeps the actor alive.
    return thread.pointee.actor == Unmanaged<AnyObject>.passUnretained(isolation).toOpaque()
      && thread.pointee.actorTask == Thread.currentTask
  }

  /// True if this thread is in the middle of a turn of any store on its actor.
  static var isInTurn: Bool { Thread.record.pointee.turnCount > 0 }

  /// Commits effects that have waited for their turn if commits may happen on this thread, and returns whether they
  /// may.
  ///
  /// Called before each event that brings an effect, so that a store's effects commit in the order in which it received
  /// them, wherever that was. A cancel does not wait for other effects, and reaches those that wait for a turn. Effects
  /// from code that runs inside a turn, such as an observer or a mapping, are part of that turn: they commit at once,
  /// and not behind the waiting effects, which come after that turn's effect.
  func takeTurnsIfHere() -> Bool {
    guard isOnIsolation() else { return false }
    takeWaitingTurns()
    return true
  }

  /// Like ``takeTurnsIfHere()``, for the next effect of a source, which must follow the source's earlier effects.
  ///
  /// If one of these waits for its turn, or is in the middle of the turn that contains the new one, the new effect
  /// waits for a turn too.
  @inline(__always)
  func takeTurnsIfHere(from source: FiberID) -> Bool { isolation == nil || takeTurnsOnActor(from: source) }

  @inline(never)
  private func takeTurnsOnActor(from source: FiberID) -> Bool {
    guard isOnIsolation(), isTakingTurns else { return takeTurnsIfHere() }
    return lock { core in core.machine.turns.isEmpty && !core.machine.hasBegun(source) }
  }

  /// Returns whether an effect that another store has lifted may commit on this thread.
  ///
  /// In the middle of a turn, it may not if it belongs to a source's value that comes after others: an effect of these
  /// may have been lifted into this store as well, where it waits for its turn.
  func mayCommit(lifted tree: TreeContext) -> Bool {
    guard isolation != nil else { return true }
    return isOnIsolation() && !(isTakingTurns && tree.comesAfterOthers)
  }

  /// Commits effects that have waited for their turn on the actor, which this thread is on.
  @inline(__always)
  func takeWaitingTurns() {
    if isolation != nil { takeTurns() }
  }

  @inline(never)
  private func takeTurns(limit: Int = .max) {
    guard let count = beginTurns() else { return }
    var left = min(count, limit)
    while left > 0 { left -= takeTurn() }
    endTurns()
  }

  /// Begins to commit effects that have waited for their turn.
  ///
  /// - Returns: the number of effects to commit. Effects that arrive meanwhile have requested a turn of their own, so
  ///   this call does not wait for them. `nil` if there are none, if they can't be committed here, or if this is part
  ///   of a turn.
  func beginTurns() -> Int? {
    guard isOnIsolation(), !isTakingTurns else { return nil }
    let count = lock { $0.machine.turns.count }
    guard count > 0 else { return nil }
    isTakingTurns = true
    Thread.record.pointee.turnCount += 1
    return count
  }

  /// True if effects wait for a turn, this thread can commit them, and it is not in the middle of a turn.
  var hasWaitingTurns: Bool { isOnIsolation() && !isTakingTurns && lock { !$0.machine.turns.isEmpty } }

  /// Commits the effect whose turn it is, and those behind it until the shell has something to do first.
  ///
  /// Each commits as a consequence of the delivery that it follows from, if any, and not of a delivery that this thread
  /// is making.
  ///
  /// - Returns: the number of effects whose turn it was, or 1 if there were none.
  func takeTurn(in round: Round? = nil) -> Int {
    // Later effects only if they were already in line; more may arrive as fast as they commit.
    let limit = lock { min($0.machine.turns.count, 64) }
    var (taken, mayContinue) = (0, true)
    while taken < limit, mayContinue {
      DeliveryLoop.followTurn(lock { $0.takeTrailOfNextTurn() }) {
        perform(mayCommit: true, round: round) { core in
          let count = core.machine.turns.count
          mayContinue = core.machine.turnCame(&core.pass)
          taken += count - core.machine.turns.count
        }
      }
    }
    return max(taken, 1)
  }

  func endTurns() {
    isTakingTurns = false
    Thread.record.pointee.turnCount -= 1
    // Code called in a turn may run the actor's own loop, as a dialog does. Turns that came then did nothing.
    guard hasMissedTurn else { return }
    hasMissedTurn = false
    inTurn { $0.turnCame() }
  }

  /// Commits effects that have waited for this turn on the actor; effects that arrive meanwhile have another turn.
  func turnCame() {
    if isTakingTurns { return hasMissedTurn = true }
    // The line may be as long as memory allows, and the actor has other work.
    takeTurns(limit: 1_024)
    let (turnsWait, trailsLeft) = lock { (!$0.machine.turns.isEmpty, $0.takeTrailsLeft()) }
    if turnsWait { inTurn { $0.turnCame() } }
    // The trails' identifiers belong to the user.
    _ = consume trailsLeft
  }

  /// Runs `body`, which does not suspend, on a thread that is on this actor.
  ///
  /// The thread records the actor, because Swift can't report it for every actor on every platform. The record holds
  /// only for the caller's task: an executor may meanwhile run other tasks' jobs on this thread, on no actor.
  @discardableResult
  static func on<Result>(_ isolation: any Actor, _ body: () -> Result) -> Result {
    let thread = Thread.record
    let (actor, task) = (thread.pointee.actor, thread.pointee.actorTask)
    thread.pointee.actor = Unmanaged<AnyObject>.passUnretained(isolation).toOpaque()
    thread.pointee.actorTask = Thread.currentTask
    defer { (thread.pointee.actor, thread.pointee.actorTask) = (actor, task) }
    return body()
  }

  /// Runs `body`, which does not suspend, for a caller whose declaration names an actor, or none.
  ///
  /// If the store is bound to no actor, `body` runs on the caller's, for stores that are bound to that one: those that
  /// effects are lifted into, and those that are bound to this store.
  ///
  /// - Parameter body: takes whether commits are known to be allowed on this thread.
  @inline(__always)
  func call<Result>(from caller: (any Actor)?, _ body: (_ mayCommit: Bool) -> Result) -> Result {
    guard let caller, isolation == nil || isolation === caller, caller.isCurrent != false else {
      return body(isOnIsolation())
    }
    return Self.on(caller) { body(true) }
  }

  /// Runs `body` in a turn on the actor.
  func inTurn(_ body: @escaping @Sendable (Runtime) -> Void) {
    guard let isolation else { return }
    Task.detached(executorPreference: executor) { await self.run(body, on: isolation) }
  }

  /// Runs `body` in a task that continues this thread's work and follows from the same deliveries.
  ///
  /// - Parameter isOnActor: true for a turn on the store's actor, if it has one.
  func continueInTask(onActor isOnActor: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let trail = DeliveryLoop.trail
    if isOnActor, isolation != nil { return inTurn { _ in DeliveryLoop.follow(trail, body) } }
    Task.detached(executorPreference: executor) {
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      DeliveryLoop.follow(trail, body)
    }
  }

  private func run(_ body: (Runtime) -> Void, on isolation: isolated any Actor) async {
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
    Self.on(isolation) { body(self) }
  }
}
