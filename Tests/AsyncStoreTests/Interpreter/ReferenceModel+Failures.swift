@testable import AsyncStore

extension ReferenceModel {
  /// Returns the node that catches an error of this node.
  ///
  /// Walks outwards, past the handlers whose answer the node is part of.
  ///
  /// - Parameter leaves: true if the error really leaves the bodies of compensated effects on its way.
  private func catcher(of node: Node, late: Bool, leaves: Bool = false) -> Node? {
    var recoversOnly = late
    var skipped: Node?
    var current = node
    while true {
      if current === skipped {
        skipped = nil
      } else if skipped == nil, current.isRecovery, !current.isCancelled {
        return current
      }
      if skipped == nil {
        switch current.handledBy {
        case .store: return nil
        case .recovery(let recovery): skipped = recovery
        case nil: break
        }
      }
      if !current.isAttached || current.failsPastAttempts { recoversOnly = true }
      guard let parent = current.parent else { return nil }
      if leaves, skipped == nil, !recoversOnly, case .compensating = parent.state { parent.hasFailed = true }
      if skipped == nil, !recoversOnly {
        if case .retrying = parent.state { return parent }
        if case .ordered = parent.state { return parent }
        if case .racing = parent.state, case .race(_, toSucceed: true) = parent.effect { return parent }
      }
      current = parent
    }
  }

  /// Returns the outermost handler, below `top`, whose answer the node is part of: the handler of the innermost answer,
  /// except for handlers `outside` of which something is to go on.
  func handler(from node: Node, upTo top: Node, outside: Node? = nil) -> Node.Handler? {
    var handler: Node.Handler?
    var current = node
    while current !== top {
      if let outside, case .recovery(let recovery)? = current.handledBy, recovery.isInside(outside) {
        // This handler is dropped with the node that encloses it.
      } else {
        handler = handler ?? current.handledBy
      }
      guard let parent = current.parent else { break }
      current = parent
    }
    return handler
  }

  func fail(_ node: Node, _ failure: Int) {
    guard let catcher = catcher(of: node, late: false, leaves: true) else {
      if !node.isInCleanup { note(failure, ofTree: node.root) }
      if isAwaited(node) { node.root.hasFailed = true }
      if mapsErrors { return handle(node, failure, by: nil, late: false) }
      node.state = .wrapping
      return post(node)
    }
    if catcher.isRecovery {
      handle(node, failure, by: catcher, late: false)
    } else {
      catcher.failure = failure
      switch catcher.state {
      case .retrying, .ordered:
        cancelAttachedChildren(of: catcher)
      default:
        var entrant = node
        while entrant.parent !== catcher { entrant = entrant.parent! }
        cancelSubtree(entrant)
      }
    }
  }

  private func note(_ failure: Int, ofTree root: Node) {
    if !root.isSettled, root.treeFailure == nil { root.treeFailure = failure }
  }

  /// Notes the failure of a sequence as the failure of its tree, regardless of what its compensations do.
  func noteTreeFailure(of node: Node, _ failure: Int) {
    if catcher(of: node, late: false) == nil, !node.isInCleanup { note(failure, ofTree: node.root) }
  }

  /// Returns whether the node's root waits for it.
  private func isAwaited(_ node: Node) -> Bool {
    node.isRoot || node.isAttached && !node.failsPastAttempts && isAwaited(node.parent!)
  }

  func failLate(_ node: Node, _ failure: Int, isHeld: Bool = false) {
    let catcher = failure == TestProgram.cancellation && !isHeld ? nil : catcher(of: node, late: true)
    if catcher == nil, !mapsErrors { return settleIfIdle(node) }
    handle(node, failure, by: catcher, late: true)
  }

  private func handle(_ node: Node, _ failure: Int, by recovery: Node?, late: Bool) {
    node.state = .handling(recovery, late: late)
    var own: Tree?
    if let recovery, case .recover(_, let answer) = recovery.effect { own = answer }
    let call = addCall(node, .handler(own))
    outputs.append(.handle(call: call, failure, byRecover: own != nil))
  }
}
