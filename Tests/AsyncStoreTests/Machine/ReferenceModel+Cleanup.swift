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
    cleanup.handledBy = handler
    // Its place is outside of a recovery that was cancelled with the node.
    if case .recovery(let recovery)? = handler, !cleanup.isInside(recovery) { cleanup.handledBy = nil }
    post(cleanup)
  }

  /// Begins the cleanup of a cancelled `finally` that has settled.
  func beginCleanup(_ tree: Tree, of node: Node) {
    guard let heir = node.heir else {
      guard !node.isAbandoned else { return }
      let cleanup = addCleanup(tree, of: node)
      cleansUp(cleanup)
      return post(cleanup)
    }
    node.heir = nil
    heir.awaited = nil
    guard heir.pending == 0 else { return }
    if heir.isCancelled {
      settleIfIdle(heir)
    } else {
      heir.state = .wrapping
      post(addInPath(tree, under: heir))
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
    cleanups.append(cleanup)
    return cleanup
  }

  /// - Returns: the place, or `nil` if no node around it lives.
  private func place(ofCleanupOf node: Node) -> (parent: Node, isAttached: Bool)? {
    var top = node
    var isAttached = node.isRoot || node.isAttached
    while let parent = top.parent, parent.isCancelled {
      if isAttached, !parent.isSettled, parent.cleanup != nil { return (heir(of: parent), true) }
      top = parent
      if !top.isRoot { isAttached = isAttached && top.isAttached }
    }
    guard let parent = top.parent else { return nil }
    return (isAttached ? parent : parent.boundary, isAttached)
  }

  private func heir(of node: Node) -> Node {
    if let heir = node.heir { return heir }
    let heir = addCleanup(.finally(.none, node.cleanup!), of: node)
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
