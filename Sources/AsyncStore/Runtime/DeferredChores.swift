/// The consequences of an event, kept for later.
struct DeferredChores {
  let runtime: Runtime
  var chores: Chores
  let mayCommit: Bool
  let handover: Handover

  /// - Parameter context: the tree whose task-local values are bound on this thread. They are kept, because they may no
  ///   longer be bound when the consequences are carried out.
  init(_ runtime: Runtime, _ chores: Chores, in context: TreeContext?, mayCommit: Bool, handover: Handover) {
    context?.keepInheritance()
    self.runtime = runtime
    self.chores = chores
    self.chores.hasCalledOut = true
    self.mayCommit = mayCommit
    self.handover = handover
  }

  func carryOut(in round: Round) {
    var chores = chores
    // The thread may have left the store's actor since the call.
    let mayCommit = mayCommit && runtime.isOnIsolation()
    runtime.finish(&chores, in: nil, mayCommit: mayCommit, handover: handover, round)
  }
}
