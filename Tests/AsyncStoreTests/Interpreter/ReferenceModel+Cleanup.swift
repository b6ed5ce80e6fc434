@testable import AsyncStore

extension ReferenceModel {
  /// Marks the node as a cleanup.
  ///
  /// Only its own names and the end of everything stop it from now on, and its result is not that of its effect.
  func cleansUp(_ node: Node) {
    node.cleansUp = true
    node.failsPastAttempts = true
    node.isApart = true
  }

  /// Begins the tree that a cancelled node leaves behind, in the nearest living place.
  func adopt(_ tree: Tree, from node: Node, handledBy handler: Node.Handler?) {
    guard !node.isAbandoned else { return }
    let cleanup = addCleanup(tree, of: node)
    if case .recovery(let recovery)? = handler, !cleanup.isInside(recovery) {
      // Its place is outside of a recovery that was cancelled with the node.
    } else {
      cleanup.handledBy = handler
    }
    post(cleanup)
  }

  /// Begins the cleanup of a cancelled node that is about to settle.
  func cleanUp(_ node: Node) {
    switch (node.state, node.effect) {
    case (.finalizing, .finally(_, let cleanup)):
      beginCleanup(node.lateCleanup ?? cleanup, of: node)
    case (.ordered, _):
      let undone = node.recorded
      node.recorded = []
      leaveOrBegin(undone.reversed(), of: node, isSequence: true)
    case (.compensating, .compensated(_, let own)):
      let undone = (mayHaveCompleted(node) ? [own] : []) + node.left
      node.left = []
      node.state = .wrapping
      leaveOrBegin(undone, of: node, isSequence: false)
    default:
      break
    }
  }

  private func leaveOrBegin(_ undone: [Tree], of node: Node, isSequence: Bool) {
    let isLeft = !undone.isEmpty && !node.isAbandoned && leave(undone, of: node, isSequence: isSequence)
    beginCleanup(isLeft ? nil : undo(undone), of: node)
  }

  /// Leaves compensations to the nearest effect around the node that is undone before them, or to the sequence of
  /// which it is a member.
  private func leave(_ undone: [Tree], of node: Node, isSequence: Bool) -> Bool {
    var current = node
    while current.isAttached, let parent = current.parent, parent.isCancelled {
      if waitsForBody(parent) {
        if case .compensating = parent.state {
          parent.left += undone
          return true
        }
        if case .ordered = parent.state, !isSequence {
          parent.recorded += undone.reversed()
          return true
        }
      }
      current = parent
    }
    return false
  }

  /// Returns the effect that runs the compensations, the first one first.
  func undo(_ compensations: [Tree]) -> Tree? {
    guard let last = compensations.last else { return nil }
    return compensations.dropLast().reversed().reduce(last) { older, newest in .finally(newest, older) }
  }

  /// Returns whether cleanups inside of this cancelled node come before its own.
  private func waitsForBody(_ node: Node) -> Bool {
    guard !node.isSettled else { return false }
    return switch node.state {
    case .finalizing: true
    case .ordered: !node.recorded.isEmpty
    case .compensating:
      !node.hasFailed && !node.isAbandoned && node.completion.value != false || !node.left.isEmpty
    default: false
    }
  }

  /// Begins the cleanup of a cancelled `finally` that has settled.
  private func beginCleanup(_ tree: Tree?, of node: Node) {
    guard let heir = node.heir else {
      guard let tree, !node.isAbandoned else { return }
      let cleanup = addCleanup(tree, of: node)
      cleansUp(cleanup)
      return post(cleanup)
    }
    node.heir = nil
    heir.awaited = nil
    heir.lateCleanup = tree ?? Tree.none
    guard heir.pending == 0 else { return }
    if heir.isCancelled {
      settleIfIdle(heir)
    } else {
      heir.state = .wrapping
      post(addInPath(tree ?? .none, under: heir))
    }
  }

  private func addCleanup(_ tree: Tree, of node: Node) -> Node {
    let cleanup: Node
    if let (parent, isAttached) = place(ofCleanupOf: node) {
      cleanup = addHead(tree, under: parent, isAttached: isAttached, isBoundary: true)
      cleanup.lingers = true
    } else {
      cleanup = addSilentRoot(tree)
    }
    cleanup.failsPastAttempts = true
    cleanup.isApart = true
    cleanup.origin = node
    cleanup.handledBy = handler(around: cleanup, of: node)
    cleanups.append(cleanup)
    return cleanup
  }

  /// Returns the handler whose answer the cancelled node is part of, if it stands around the place of the cleanup.
  ///
  /// The cleanup is part of the same answer.
  private func handler(around cleanup: Node, of node: Node) -> Node.Handler? {
    var current: Node? = node
    while let inner = current, inner !== cleanup.parent {
      switch inner.handledBy {
      case .recovery(let recovery) where !cleanup.isInside(recovery): break
      case let handler?: return handler
      case nil: break
      }
      current = inner.parent
    }
    return nil
  }

  /// - Returns: the place, or `nil` if no node around it lives.
  private func place(ofCleanupOf node: Node) -> (parent: Node, isAttached: Bool)? {
    var top = node
    var isAttached = node.isRoot || node.isAttached
    while let parent = top.parent, parent.isCancelled {
      if isAttached, waitsForBody(parent) { return (heir(of: parent), true) }
      top = parent
      if !top.isRoot { isAttached = isAttached && top.isAttached }
    }
    guard let parent = top.parent else { return nil }
    return (isAttached ? parent : parent.boundary, isAttached)
  }

  private func heir(of node: Node) -> Node {
    if let heir = node.heir { return heir }
    let heir = addCleanup(.finally(.none, .none), of: node)
    cleansUp(heir)
    heir.state = .finalizing
    heir.awaited = node
    node.heir = heir
    return heir
  }

  /// Returns whether no cleanup that the node has left behind is still in flight.
  func isCleanedUp(_ node: Node) -> Bool {
    !cleanups.contains { $0.origin === node }
  }

  /// Releases the nodes that stayed for this cleanup, which has settled, or is gone if it was cancelled.
  func endCleanup(_ node: Node) {
    guard let origin = node.origin else { return }
    cleanups.removeAll { $0 === node }
    node.origin = nil
    release(origin)
  }

  func isInsideCleanup(_ node: Node, of name: Name) -> Bool {
    var current: Node? = node
    var (isLeftBehind, isSpared) = (false, false)
    while let ancestor = current {
      if ancestor.name == name, ancestor.isHolder, ancestor.isCancelled, isLeftBehind || isSpared { return true }
      isLeftBehind = isLeftBehind || ancestor.origin != nil
      isSpared = isSpared || ancestor.cleansUp
      current = ancestor.origin ?? ancestor.parent
    }
    return false
  }
}
