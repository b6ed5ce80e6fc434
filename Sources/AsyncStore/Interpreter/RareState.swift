/// State that few fibers have, in memory of its own so that every fiber stays small.
///
/// The machine creates it with ``FiberTable/makeRare(of:)`` and frees it with the fiber. It is a struct behind a
/// pointer and not an object: objects would add 50 reference counts to an order of three steps, each with a retry and
/// an undo.
struct RareState<P: Program> {
  /// The state of the retry, if the fiber retries.
  var retry = RetryState<P>()
  /// The state of a fiber that recovers.
  var recovery: Recovery<P>?
  /// The failure that a race without a winner, or a sequence, ends with.
  var failure: P.Failure?
  /// The failure that the tree of this root ends with.
  var rootFailure: P.Failure?
  /// For a sequence, the program that undoes its completed members, newest first; for a cancelled compensated effect,
  /// the compensations that its body has handed to it.
  var undo: P?
  /// True for a sequence that was cancelled with members to undo.
  var undoesMembers = false
  /// True for the root of a tree whose timers and sources have stopped.
  var isDraining = false
  /// Effects that wait for earlier ones to settle: those of a source's later values, or later members of a sequence or
  /// a limited merge.
  var backlog = Queue<P>()
  /// The list of those members until it has been divided, and the number of divided members.
  var undivided: P?
  var dividedCount: Int32 = 0
  /// True if effects wait for earlier ones to settle.
  var hasBacklog: Bool { undivided != nil || !backlog.isEmpty }
  /// For a source, the lineages of the effects in the backlog.
  var lineages = Queue<DeliveryLineage?>()
  /// The lineage of an effect that has waited, until it continues.
  var lineage: DeliveryLineage?
  /// Set while the effects in the backlog wait for one that continues in a task.
  var emissions: EmissionOrder?
  /// For a cancelled `finally` or compensated effect, the fiber that waits for it to settle and then runs its cleanup.
  var cleanup = FiberSlot.none
  /// For a cleanup, the cancelled fiber that left it behind.
  var origin = FiberSlot.none
  /// The number of fibers whose origin is this fiber.
  var cleanupCount: Int32 = 0
  /// For a root whose whole tree was cancelled, the roots that clean up after it; `nil` if there are none.
  var cleanupRoots: [FiberID]?
  /// Shortcuts to the nearest recovery and the nearest sequence if these are far away, so that nested effects take
  /// linear time.
  var recoveryShortcut: Shortcut?
  var sequenceShortcut = FiberSlot.none

  struct Shortcut {
    var target: FiberSlot
    /// The machine's `pathVersion` at the time of the shortcut.
    var pathVersion: UInt32
  }

  /// Stores the members until their turn.
  mutating func queue(_ members: P) {
    undivided = members
    dividedCount = 0
  }

  /// Divides the list of members, so that each member is released when it has ended.
  ///
  /// - Parameter limit: the maximum number of members to divide now.
  /// - Returns: the number of members divided, and the list once all of it is divided.
  mutating func divideMembers(limit: Int) -> (count: Int, list: P?) {
    guard let list = undivided else { return (0, nil) }
    if dividedCount == 0 { backlog.reserve(list.count) }
    let range = Int(dividedCount)..<min(Int(dividedCount) + limit, list.count)
    for index in range { backlog.append(list.part(index..<index + 1)) }
    dividedCount = Int32(range.upperBound)
    if range.upperBound == list.count { undivided = nil }
    return (range.count, undivided == nil ? list : nil)
  }

  /// Hands over all effects and errors, and resets the state.
  mutating func vacate(to released: inout ReleasedParts<P>) {
    if let failure = retry.end(to: &released) { released.append(failure: failure) }
    if let handler = recovery.take()?.handler { released.append(handler) }
    if let undo = undo.take() { released.append(undo) }
    while let program = backlog.popFirst() { released.append(program) }
    if let list = undivided.take() { released.append(list) }
    (backlog, lineages, lineage) = (Queue(), Queue(), nil)
    if let failure = failure.take() { released.append(failure: failure) }
    if let failure = rootFailure.take() { released.append(failure: failure) }
    (undoesMembers, isDraining, emissions, recoveryShortcut, sequenceShortcut) = (false, false, nil, nil, .none)
    (cleanup, origin, cleanupCount, cleanupRoots) = (.none, .none, 0, nil)
  }
}

extension Fiber {
  /// For a cancelled `finally` or compensated effect, the fiber that waits for it to settle and then runs its cleanup.
  var cleanup: FiberSlot? { rare.flatMap { $0.pointee.cleanup.exists ? $0.pointee.cleanup : nil } }

  /// For a cleanup, the cancelled fiber that left it behind.
  var origin: FiberSlot? { rare.flatMap { $0.pointee.origin.exists ? $0.pointee.origin : nil } }
}
