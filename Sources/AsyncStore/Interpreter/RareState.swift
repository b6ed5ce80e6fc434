/// The state that few fibers have, in memory of its own, so that every fiber stays small.
///
/// The machine makes it with ``FiberTable/makeRare(of:)``, and frees it with the fiber. A struct behind a pointer, not
/// an object: objects would add 50 reference counts to an order of three steps, each with a retry and an undo.
struct RareState<P: Program> {
  /// The retry, if the fiber is one.
  var retry = RetryState<P>()
  /// The state of a fiber that recovers.
  var recovery: Recovery<P>?
  /// The failure that a race without a winner, or a sequence, ends with.
  var failure: P.Failure?
  /// The failure that the tree of this root ends with.
  var rootFailure: P.Failure?
  /// For a sequence, the program that undoes its completed members, the newest first; for a cancelled compensated
  /// effect, the compensations that its body has left to it.
  var undo: P?
  /// True for a sequence that was cancelled with something to undo.
  var undoesMembers = false
  /// True for the root of a tree whose timers and sources have stopped.
  var isDraining = false
  /// Effects that wait for earlier ones to settle: those of a source's later values, and later members of a sequence or
  /// of a limited merge.
  var backlog = Queue<P>()
  /// The list of those members as long as it has not been divided, and the number of those that wait in the backlog.
  var undivided: P?
  var dividedCount: Int32 = 0
  /// True if effects wait for earlier ones to settle.
  var hasBacklog: Bool { undivided != nil || !backlog.isEmpty }
  /// For a source, the lineages of the effects in the backlog.
  var lineages = Queue<DeliveryLineage>()
  /// The lineage of an effect that has waited, until it goes on.
  var lineage: DeliveryLineage?
  /// Set while the effects in the backlog wait for one that goes on in a task.
  var emissions: EmissionOrder?
  /// For a cancelled `finally` or compensated effect, the fiber that will run its cleanup and waits for it to settle.
  var cleanup = FiberSlot.none
  /// The cancelled fiber that left this one behind as its cleanup.
  var origin = FiberSlot.none
  /// The number of fibers whose origin this one is.
  var cleanupCount: Int32 = 0
  /// The roots that clean up after the tree of this root, which was cancelled as a whole; `nil` if there are none.
  var cleanupRoots: [FiberID]?
  /// Shortcuts to the nearest recovery and the nearest sequence if they are far away, so that nested effects take
  /// linear time.
  var recoveryShortcut: Shortcut?
  var sequenceShortcut = FiberSlot.none

  struct Shortcut {
    var target: FiberSlot
    /// The machine's `pathVersion` when this shortcut was taken.
    var pathVersion: UInt32
  }

  /// Keeps the members until it is their turn.
  mutating func queue(_ members: P) {
    undivided = members
    dividedCount = 0
  }

  /// Divides the list of members, so that each is released when it is done.
  ///
  /// - Parameter limit: the greatest number of members to divide now.
  /// - Returns: the number of those that were divided; and the list, once that are all.
  mutating func divideMembers(limit: Int) -> (count: Int, list: P?) {
    guard let list = undivided else { return (0, nil) }
    if dividedCount == 0 { backlog.reserve(list.count) }
    let range = Int(dividedCount)..<min(Int(dividedCount) + limit, list.count)
    for index in range { backlog.append(list.part(index..<index + 1)) }
    dividedCount = Int32(range.upperBound)
    if range.upperBound == list.count { undivided = nil }
    return (range.count, undivided == nil ? list : nil)
  }

  /// Hands over the effects and the errors that it holds, and becomes like a new one.
  mutating func vacate(releasing released: inout UniqueArray<P>, _ failures: inout UniqueArray<P.Failure>) {
    if let failure = retry.end(releasing: &released, &failures) { failures.append(failure) }
    if let handler = recovery.take()?.handler { released.append(handler) }
    if let undo = undo.take() { released.append(undo) }
    while let program = backlog.popFirst() { released.append(program) }
    if let list = undivided.take() { released.append(list) }
    (backlog, lineages, lineage) = (Queue(), Queue(), nil)
    if let failure = failure.take() { failures.append(failure) }
    if let failure = rootFailure.take() { failures.append(failure) }
    (undoesMembers, isDraining, emissions, recoveryShortcut, sequenceShortcut) = (false, false, nil, nil, .none)
    (cleanup, origin, cleanupCount, cleanupRoots) = (.none, .none, 0, nil)
  }
}

extension Fiber {
  /// For a cancelled `finally` or compensated effect, the fiber that will run its cleanup and waits for it to settle.
  var cleanup: FiberSlot? { rare.flatMap { $0.pointee.cleanup.exists ? $0.pointee.cleanup : nil } }

  /// The cancelled fiber that left this one behind as its cleanup.
  var origin: FiberSlot? { rare.flatMap { $0.pointee.origin.exists ? $0.pointee.origin : nil } }
}
