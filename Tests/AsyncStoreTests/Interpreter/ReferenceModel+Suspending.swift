@testable import AsyncStore

extension ReferenceModel {
  /// A pass that stands still until something has happened in other stores, while other events happen here.
  struct StandingPass {
    var agenda: [Node]
    /// The tree whose first pass it is, if it is one.
    let tree: Node?
    let time: Moment
  }

  /// Lets nothing more of the pass happen before a barrier has reached the other stores.
  func spreadBarrier() {
    isSpreadingBarrier = true
    standsStill = true
  }

  /// Lets nothing more of the pass happen while a barrier of an earlier cancel is on its way.
  func awaitBarrier() {
    if isSpreadingBarrier { standsStill = true }
  }

  /// Keeps the rest of the pass for later if it has to stand still.
  ///
  /// - Returns: true if there is a rest.
  func keepRest() -> Bool {
    guard standsStill else { return false }
    while let last = agenda.last, last.isCancelled || last.isSettled || last.isGone {
      last.isPosted = false
      agenda.removeLast()
    }
    guard !agenda.isEmpty else { return false }
    guard holdsPasses else {
      (standsStill, isSpreadingBarrier) = (false, false)
      return false
    }
    standing.append(StandingPass(agenda: agenda, tree: passTree, time: time))
    agenda = []
    return true
  }

  /// Goes on with a pass that has stood still.
  func continuePass(_ index: Int) {
    let pass = standing.remove(at: index)
    (agenda, passTree, time) = (pass.agenda, pass.tree, pass.time)
  }

  /// Ends an effect that is over at once, unless the pass stands still behind what it has done.
  func end(_ node: Node) {
    guard standsStill else { return settle(node) }
    node.state = .wrapping
    post(node)
  }

  /// Lets a parent go on after a child; in the first pass of its own tree if that stands still, and another pass has
  /// cancelled the child by its name.
  func postParent(_ parent: Node, of child: Node) {
    guard child.isCancelled, child.endsEarly, !parent.isPosted, !parent.isGone, !standing.isEmpty,
      parent.root !== passTree, let index = standing.firstIndex(where: { $0.tree === parent.root })
    else { return post(parent) }
    parent.isPosted = true
    standing[index].agenda.append(parent)
  }

  /// Has a node that replaces another one wait until that has begun.
  ///
  /// - Returns: false if it has not to wait.
  func waitForBeginning(of newest: Node, _ node: Node) -> Bool {
    func place(in agenda: [Node]) -> Int? {
      guard let place = agenda.firstIndex(where: { $0 === newest }) else { return nil }
      // The first one of those that will replace it goes on first.
      return place - agenda[..<place].reversed().prefix { $0.replacesLater }.count
    }
    if let place = place(in: agenda) {
      node.replacesLater = true
      post(node, behind: place)
      return true
    }
    // A tree's own first pass waits for no other that stands still, because its prefix has to be complete.
    guard node.root !== passTree else { return false }
    for index in standing.indices {
      guard let place = place(in: standing[index].agenda) else { continue }
      node.replacesLater = true
      node.isPosted = true
      standing[index].agenda.insert(node, at: place)
      return true
    }
    return false
  }

  /// Returns whether a tree has done everything, and its pass stands still.
  func isAboutToSettle(_ root: Node) -> Bool {
    var last = root
    while let child = last.children.first {
      guard last.children.count == 1, child.isAttached, !child.isApart, onlyWaits(last) else { return false }
      last = child
    }
    return isBeforeItsEnd(last)
  }

  /// Returns whether a node does nothing more than to end with its child.
  private func onlyWaits(_ node: Node) -> Bool {
    guard !node.hasMoreToDo else { return false }
    switch (node.state, node.effect) {
    case (.wrapping, _): return true
    case (.sequence(let next), .concatenate(let members)): return next == members.count
    default: return false
    }
  }

  /// Returns whether a node has only to go on once more until it ends.
  func isBeforeItsEnd(_ node: Node) -> Bool { node.isPosted && hasDoneAll(node) }

  /// Returns whether a node ends when it goes on, with nothing behind it on its path.
  func hasDoneAll(_ node: Node) -> Bool {
    guard node.pending == 0, !node.hasMoreToDo else { return false }
    switch (node.state, node.effect) {
    case (.wrapping, _), (.racing(_, isWon: true), _): return true
    case (.sequence(let next), .concatenate(let members)): return next == members.count
    case (.merging(let next), .merge(let members, _)): return next == members.count
    case (.ordered(let next), .sequence(let members)): return next == members.count && node.failure == nil
    case (.retrying, _): return node.failure == nil
    default: return false
    }
  }
}
