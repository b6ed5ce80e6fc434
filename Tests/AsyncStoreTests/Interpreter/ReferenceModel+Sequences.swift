@testable import AsyncStore

extension ReferenceModel {
  func continueSequence(_ node: Node, _ next: Int) {
    guard case .sequence(let members) = node.effect else { return }
    if node.failure != nil || node.endsEarly {
      if node.failure != nil || next < members.count || !node.recorded.isEmpty { node.completion = .never }
      return undo(node)
    }
    if next < members.count {
      node.state = .ordered(next: next + 1)
      return post(addHead(members[next], under: node, isBoundary: true))
    }
    // The outer sequence takes over the compensations of a completed inner one.
    nearestSequence(of: node)?.recorded += node.recorded
    node.recorded = []
    node.state = .wrapping
    post(node)
  }

  private func undo(_ node: Node) {
    if let failure = node.failure { noteTreeFailure(of: node, failure) }
    let cleanup = undo(node.recorded.reversed())
    node.recorded = []
    node.state = .undoing
    guard let cleanup else { return endSequence(node) }
    let compensations = addHead(cleanup, under: node)
    cleansUp(compensations)
    post(compensations)
  }

  /// Ends a sequence whose compensations have all run.
  ///
  /// Continues with the error, or with what follows the cancelled effect.
  func endSequence(_ node: Node) {
    node.state = .wrapping
    if let failure = node.failure { return fail(node, failure) }
    if node.isFirstOfRunner, !node.hasMoreToDo, node.head.isRoot || node.head.standsForRoot {
      node.root.endsCancelled = true
    }
    post(node)
  }

  /// Returns the sequence that records this node's compensation, or `nil` if no node waits for this one, or it is in a
  /// cleanup.
  func nearestSequence(of node: Node) -> Node? {
    var current = node
    while current.isAttached, !current.failsPastAttempts, let parent = current.parent {
      if case .ordered = parent.state { return parent }
      current = parent
    }
    return nil
  }

  /// Resets the path's record of how the previous effect ended, because it has reached the next effect.
  func beginsAnew(_ node: Node) {
    var current = node
    while true {
      current.endsEarly = false
      if current.isHead { return }
      current = current.parent!
    }
  }
}

extension ReferenceNode {
  /// The error that a sequence would go on with.
  var heldFailure: Int? {
    switch state {
    case .ordered, .undoing: failure
    default: nil
    }
  }
}
