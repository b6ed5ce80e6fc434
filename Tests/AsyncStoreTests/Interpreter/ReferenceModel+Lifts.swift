@testable import AsyncStore

extension ReferenceModel {
  // MARK: Shutting down

  func mayBeginDetached(from node: Node) -> Bool { !drains(node) && !node.boundary.isCancelled }

  private func drains(_ node: Node) -> Bool {
    isDraining || node.root.isDraining || node.root.origin.map(drains) ?? false
  }

  /// Returns a root, and those that clean up after its tree.
  func treeAndCleanups(of root: Node) -> [Node] {
    func belongs(_ other: Node) -> Bool { other === root || other.origin.map { belongs($0.root) } ?? false }
    return [root] + roots.filter { $0 !== root && belongs($0) }
  }

  func drain() {
    guard !isDraining else { return }
    isDraining = true
    for root in roots { stopSources(of: root) }
  }

  func stopSources(of root: Node) {
    var nodes: [Node] = []
    root.visit { nodes.append($0) }
    for node in nodes where !node.isSettled && !node.isGone {
      switch node.state {
      case .lifting(let call):
        outputs.append(.drain(call: call))
      case .emitting(let call, _) where node.isLift:
        outputs.append(.drain(call: call))
      case .ticking where !node.isCancelled:
        node.state = .wrapping
        if node.pending == 0 { settle(node) }
      case .emitting(let call, _) where call >= 0 && !node.isStopped && !node.isCancelled:
        node.isStopped = true
        outputs.append(.cancel(call: call))
      default:
        break
      }
    }
  }

  func passOnDraining(of root: Node) {
    root.visit { node in
      guard !node.isSettled, !node.isGone else { return }
      switch node.state {
      case .lifting(let call): outputs.append(.drain(call: call))
      case .emitting(let call, _) where node.isLift: outputs.append(.drain(call: call))
      default: break
      }
    }
  }

  // MARK: Lifts

  func startLift(_ node: Node, _ number: Int) {
    let call = addCall(node, .lift)
    node.state = .lifting(call: call)
    outputs.append(.operate(call: call, number))
    if drains(node) { outputs.append(.drain(call: call)) }
    standsStill = true
  }

  func settleLift(_ call: Int, _ ending: LiftEnding, isOver: Bool) {
    let node = calls[call]!.node
    node.liftEnding = ending
    if isOver {
      calls[call] = nil
    } else if node.isCancelled || node.boundary.isCancelled {
      calls[call] = (node, .remains)
      return
    } else {
      let remains = addDetached(node)
      let new = addCall(remains, .remains)
      remains.state = .emitting(call: new, backlog: [])
      if drains(node) { outputs.append(.drain(call: new)) }
      calls[call] = nil
    }
    endLift(node)
  }

  func endLift(_ node: Node) {
    if node.liftEnding != .completed {
      node.endsEarly = true
      if !node.isCancelled { node.completion = node.liftEnding == .incomplete ? .never : .always }
    }
    node.state = .wrapping
    if node.isCancelled { settleIfIdle(node) } else { post(node) }
  }
}
