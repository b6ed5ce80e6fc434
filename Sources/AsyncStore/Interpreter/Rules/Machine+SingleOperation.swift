/// Fast paths for single operations: a tree that is one operation; an operation that follows a returned one; the last
/// operation of a tree; an operation that is cancelled before its task has started.
///
/// Laws 4, 20 and 21. Events: `operationReceived`, `operationFollowed`, `lastOperationFinished`, `operationWithdrawn`.
/// Activities: `operating`.
///
/// The first three exist only for speed, since `received` and `operationFinished` do the same: without the paths for a
/// whole tree and for its last operation, a task takes some 2,700 instructions more (`Tests/Benchmarks/instructions
/// P2`).
extension Machine {
  /// Begins a tree that is one operation; the shell starts the operation without a directive.
  ///
  /// - Returns: the tree's root, or `nil` if `received` has to be called.
  @inline(__always)
  mutating func operationReceived(_ program: P, context: P.Context, _ pass: inout Pass<P>) -> FiberID? {
    guard program.isOperation, !options.isTraced, !isSpreadingBarrier else { return nil }
    let root = makeRoot(context: context, &pass)
    counts.unsettledTrees += 1
    fibers[root].stand(atBegun: program)
    fibers[root].activity = .operating
    return id(of: root)
  }

  /// Returns which fast paths to try when the fiber's operation has returned.
  func fastPaths(after id: FiberID) -> FastPaths {
    let slot = id.slot
    if isFolded(slot) { return .none }
    let isFast =
      hasMoreToDo(slot)
      ? options.traced.isDisjoint(with: [.begun, .committed, .settled]) && !isRetrying(slot)
      : !options.isTraced && !fibers[slot].parent.exists && fibers[slot].rare == nil
    return isFast ? .all : .followingOnly
  }

  /// Continues a fiber with a single operation that follows the returned one: its result, or else the next effect in
  /// its list.
  ///
  /// This works only if nothing else follows from the end of the first operation. The fiber then moves to the second
  /// operation and stays `operating`. Not for an operation that began in a folded fiber.
  ///
  /// - Parameter program: the returned operation, if there is one. On return, the program that the fiber releases,
  ///   which does not go to ``released``.
  /// - Returns: the following operation, or `nil` if `operationFinished` has to be called.
  @inline(__always)
  mutating func operationFollowed(_ id: FiberID, with program: inout P?) -> P? {
    let slot = id.slot
    assert(!isAlive(id) || !isFolded(slot))
    guard options.traced.isDisjoint(with: [.begun, .settled]), !isCancelled(id), !isRetrying(slot),
      fibers[slot].cursor == fibers[slot].end
    else { return nil }
    if program == nil { program = takeOperation(behind: slot) }
    guard program != nil else { return nil }
    swap(&program, &fibers[slot].program)
    (fibers[slot].cursor, fibers[slot].end) = (1, 1)
    return fibers[slot].program
  }

  /// Takes the next part of a divided list, if that part is an operation.
  private mutating func takeOperation(behind slot: FiberSlot) -> P? {
    let place = fibers[slot].outer.count - 1
    guard place >= 0, fibers[slot].pending == 0, fibers[slot].outer[place].cursor == 0,
      fibers[slot].outer[place].program.isOperation
    else { return nil }
    return fibers[slot].outer.removeLast().program
  }

  /// Ends a tree whose last operation has returned nothing more to do.
  ///
  /// Not for an operation that began in a folded fiber.
  ///
  /// - Parameter program: on return, the program that the fiber releases, which does not go to ``released``.
  /// - Returns: the context of the tree, which is finished and over, or `nil` if `operationFinished` has to be called.
  @inline(__always)
  mutating func lastOperationFinished(_ id: FiberID, releasing program: inout P?) -> P.Context? {
    let slot = id.slot
    assert(!isAlive(id) || !isFolded(slot))
    // A fiber with these flags is a root that was not cancelled, does not end early and is not a cleanup.
    guard !options.isTraced, !isSpreadingBarrier, isAlive(id),
      fibers[slot].flags == [.occupied, .boundary, .lingers, .hasRun],
      !fibers[slot].parent.exists, !fibers[slot].firstChild.exists, !hasMoreToDo(slot), fibers[slot].rare == nil
    else { return nil }
    counts.unsettledTrees -= 1
    program = fibers[slot].program.take()
    let context = fibers[slot].context.take()
    free(slot)
    releaseTables()
    return context
  }

  /// Ends a cancelled operation that has not started and never will.
  mutating func operationWithdrawn(_ id: FiberID, _ program: P, _ pass: inout Pass<P>) {
    released.append(program)
    operationFinished(id, nil, &pass)
  }

  /// Returns whether a cancelled operation is all that is left of its tree, under at most one identifier that nothing
  /// waits for.
  ///
  /// The operation's end then has no consequences in this store, and the shell may report the end together with the
  /// cancel if the operation's task has not started. This takes 900 of 15,900 instructions less where operations
  /// replace each other (`Tests/Benchmarks/instructions P3`). The consequences of any other end run in that task, which
  /// has the values and the priority of the tree.
  func endsAlone(_ id: FiberID) -> Bool {
    guard isAlive(id) else { return false }
    let (slot, root) = (id.slot, fibers[id.slot].root)
    guard isBare(slot), isBare(root), fibers[root].flags.isSubset(of: Self.cancelledRoot) else { return false }
    if slot == root { return !fibers[slot].firstChild.exists }
    guard fibers[root].firstChild == slot, !fibers[slot].next.exists, !fibers[slot].firstChild.exists,
      fibers[slot].flags.isSubset(of: Self.cancelledScope), fibers[slot].flags.contains(.standsForRoot),
      !hasMoreToDo(root)
    else { return false }
    let registration = fibers[slot].registration
    return registration.exists && registry[registration].joiners.isEmpty && registry[registration].waiting.isEmpty
      && !registry[registration].throttled.exists
  }

  private func isBare(_ slot: FiberSlot) -> Bool { fibers[slot].rare == nil && fibers[slot].nearestLabel == nil }

  private static var cancelledRoot: Fiber<P>.Flags {
    [.occupied, .boundary, .lingers, .hasRun, .cancelled, .attachedToTarget, .abandoned, .endsCancelled]
  }

  private static var cancelledScope: Fiber<P>.Flags {
    [
      .occupied, .attached, .boundary, .lingers, .standsForRoot, .hasRun, .cancelled, .attachedToTarget, .abandoned,
      .endsEarly, .releasesLate,
    ]
  }
}
