@testable import AsyncStore

extension ProgramRun {
  /// Law 6: when `receive` returns, everything up to the first node that waits has been committed.
  ///
  /// - Parameter known: the number of scopes that had a name before the call.
  /// - Returns: true if the part certainly continues without waiting.
  func checkPrefix(of node: ProgramNode, hadBarriers: Bool, known: Int) -> Bool {
    func prefix(_ node: ProgramNode) -> Bool { checkPrefix(of: node, hadBarriers: hadBarriers, known: known) }
    switch node.effect {
    case .none: return true
    case .set, .push, .pop, .cancel:
      if node.count == 0, !node.lineage.isOver {
        witness.report("law 6: receive has returned without a commit of its prefix", in: node.lineage.store)
      }
      return true
    case .long:
      if node.count < Self.longPrefix, !node.lineage.isOver {
        witness.report("law 6: receive has returned without all of a long prefix", in: node.lineage.store)
      }
      return true
    case .concatenate: return node.children.allSatisfy(prefix)
    case .merge: return node.children.map(prefix).allSatisfy { $0 }
    // The rest depends on how the first one has ended.
    case .sequence, .race, .timeout:
      _ = node.children.first.map(prefix)
      return false
    case .task, .sleep, .deepTasks, .deepLift:
      if !hadBarriers { begin(node.lineage) }
      return false
    case .timer:
      if !hadBarriers, let scope = node.scope { begin(scope) }
      return true
    case .id(let name, _, let policy):
      guard policy == .replace, let child = node.children.first, !child.lineage.isSelfEnclosed else { return false }
      // The handlers of the replaced effect may have cancelled the name, and this effect with it, before it could be
      // observed.
      let scope = ScopeName(store: node.lineage.store, id: name)
      guard !hadBarriers || !cancelledNames.contains(scope) else { return false }
      // An effect or a binding that the store received meanwhile may also have replaced it; an effect of nothing is not
      // seen to do so.
      if named[known...].contains(where: { $0.store == scope.store && $0.name == name }) { return false }
      let isBound = bindings.contains { $0.plan.down == scope.store && $0.plan.id == name }
      guard !hadBarriers || !isBound else { return false }
      // The callbacks during the call may have replaced it before it could be observed.
      if !hadBarriers { begin(child.lineage) }
      return prefix(child)
    case .lift(let target, _):
      guard let child = node.children.first else { return false }
      guard isActive[target.rawValue], epochs[target.rawValue] == child.epoch else { return false }
      if !hadBarriers { begin(child.lineage) }
      return prefix(child)
    case .finally:
      return hadBarriers ? false : node.children.allSatisfy(prefix)
    case .recover: return node.children.first.map(prefix) ?? false
    }
  }

  /// Checks the conditions that hold whenever nothing can run without time passing.
  func checkAtRest() {
    passCancels(from: 0)
    passReplaced(from: 0)
    checkCancelled()
    checkBindings()
    checkTracks()
    checkWaits()
  }

  // MARK: At the end

  /// Law 2 and similar laws: checks that everything has happened that was not ended, once everything that could end has
  /// ended.
  func checkCompleted() {
    for root in roots {
      if let node = root.node { checkCompleted(node) }
      if root.handle?.outcomeIfSettled == nil { witness.report("law 21: a handle has no outcome at the end") }
    }
  }

  /// - Parameter doubts: the number of shutdowns that are known not to have ended it.
  func checkCompleted(_ node: ProgramNode, despite doubts: Int = 0) {
    guard !node.lineage.isOver, node.lineage.path.allSatisfy({ $0.doubts <= doubts }) else { return }
    switch node.effect {
    // The members of the last three may have been ended by each other.
    case .none, .sleep, .timer, .deepTasks, .deepLift, .sequence, .race, .timeout: return
    case .set, .long, .push, .pop, .cancel:
      if node.count == 0 { witness.report("law 2: a commit is missing at the end", in: node.lineage.store) }
      return
    case .task:
      if node.count == 0 { witness.report("law 2: an operation never began", in: node.lineage.store) }
    case .id:
      if let child = node.children.first, isContended(child.lineage) { return }
    case .lift(let target, _):
      // A lift to a store that is not active does nothing. A store that is shut down doesn't know that what was lifted
      // into it is part of a cleanup elsewhere.
      let isShutDown = shutdowns.contains { $0.store == target }
      let isEnded = isShutDown || epochs[target.rawValue] > 0 && node.children.first?.lineage.hasBegun == false
      if isEnded { return }
    case .concatenate, .merge, .finally, .recover: break
    }
    for child in node.children { checkCompleted(child, despite: doubts) }
  }

  /// Returns whether something that leaves no trace may have ended the scope, or kept it from beginning.
  private func isContended(_ scope: Lineage) -> Bool {
    guard case .named(let id, let policy) = scope.kind else { return true }
    if policy != .replace || scope.isSelfEnclosed { return true }
    if cancelledNames.contains(ScopeName(store: scope.store, id: id)) { return true }
    return named.contains { other in
      guard other !== scope, other.store == scope.store, case .named(id, let otherPolicy) = other.kind else {
        return false
      }
      return otherPolicy != .replace || !other.hasBegun || !scope.hasBegun
    } || bindings.contains { $0.plan.id == id && $0.plan.down == scope.store }
  }

  /// Law 20: at rest nothing is left.
  func checkRemains() {
    for (name, store) in zip(StoreName.allCases, stores) where !store.remains.isEmpty {
      witness.report("law 20: something is left at rest: \(store.remains)", in: name)
    }
  }

  /// Checks that the stores are released, and everything with them.
  func checkRelease() {
    struct Weak { weak var store: ProgramStore? }
    let left = stores.map { Weak(store: $0) }
    stores = []
    if left.contains(where: { $0.store != nil }) { witness.report("law 20: a store is not let go of") }
  }
}
