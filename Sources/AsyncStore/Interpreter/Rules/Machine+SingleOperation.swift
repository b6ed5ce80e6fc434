/// The short ways for a tree that is a single operation: its begin, and the end of a tree whose last operation returns.
///
/// Laws 4, 20 and 21. Events: `operationReceived`, `lastOperationFinished`. Activities: `operating`.
///
/// They are kept for their speed alone, since `received` and `operationFinished` do the same: with them, and one
/// asynchronous call less, a task takes 9,751 instructions, as `Tests/Benchmarks/instructions P2` counts. Before, when a
/// lock took a little less, it took 12,467.
extension Machine {
  /// Begins a tree that is one operation, which the shell starts without a directive.
  ///
  /// - Returns: the tree's root, or `nil` if `received` has to be called.
  @inline(__always)
  mutating func operationReceived(_ program: P, context: P.Context, _ pass: inout Pass<P>) -> FiberID? {
    guard program.isOperation, !isTraced, !isSpreadingBarrier else { return nil }
    let root = makeRoot(context: context, &pass)
    unsettledTrees += 1
    fibers[root].program = program
    (fibers[root].cursor, fibers[root].end) = (1, 1)
    fibers[root].flags.insert(.hasRun)
    fibers[root].activity = .operating
    return id(of: root)
  }

  /// Ends a tree with the operation that was all it had left, and that has returned nothing more to do.
  ///
  /// - Parameter program: afterwards what the fiber gives up, in place of ``released``.
  /// - Returns: the context of the tree, which has finished and is over, or `nil` if `operationFinished` has to be
  ///   called.
  @inline(__always)
  mutating func lastOperationFinished(_ id: FiberID, releasing program: inout P?) -> P.Context? {
    let slot = id.slot
    // With these flags it is a root that nobody has cancelled, and that neither ends early nor cleans up.
    guard !isTraced, !isSpreadingBarrier, isAlive(id), fibers[slot].flags == [.occupied, .boundary, .lingers, .hasRun],
      !fibers[slot].parent.exists, !fibers[slot].firstChild.exists, !hasMoreToDo(slot), fibers[slot].rare == nil
    else { return nil }
    unsettledTrees -= 1
    program = fibers[slot].program.take()
    let context = fibers[slot].context.take()
    free(slot)
    releaseTableAtRest()
    return context
  }
}
