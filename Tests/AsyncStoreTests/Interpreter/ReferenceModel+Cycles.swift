@testable import AsyncStore

/// Finds cycles the opposite way: it asks which nodes can still end if one node never does.
extension ReferenceModel {
  /// Returns the names that would never become idle if the node waited for them.
  func endless(_ names: [Name], joinedBy node: Node) -> [Name] {
    let stuck = stuck(unlessEnd: [node])
    return names.filter { name in inFlight(name).contains { stuck.contains($0) } }
  }

  /// Breaks the cycles that arise because the nodes have started to wait in line under the name.
  func breakCycles(of nodes: [Node], _ name: Name) {
    guard case .queued(let width)? = waiting(name).first?.state else { return }
    let stuck = stuck(unlessEnd: nodes)
    let blocked = places(name).filter { stuck.contains($0) }
    guard width.map({ blocked.count >= $0 }) ?? blocked.contains(where: \.isCancelled) else { return }
    let giving = joiners().filter { joiner in
      stuck.contains(joiner)
        && blocked.contains { depends($0, on: joiner, passingJoins: false, within: nil, passingRaces: stuck) }
    }
    guard !giving.isEmpty else { return }
    outputs.append(.cycle)
    for name in useOrder where inFlight(name).contains(where: { stuck.contains($0) }) {
      for joiner in giving.sorted(by: { $0.ticket > $1.ticket }) {
        if case .joining(let names) = joiner.state, names.contains(name) { endWait(of: joiner, for: name) }
      }
    }
  }

  /// Breaks the cycles that arise because something has begun to wait for a node: for a cleanup that had begun before
  /// what is around it was cancelled, or for the first in line.
  ///
  /// - Returns: true if a join goes on.
  func breakNewCycles() -> Bool {
    let nodes = newlyAwaited
    newlyAwaited = []
    for node in nodes where !node.isGone && !node.isSettled {
      if case .queued = node.state, !node.isCancelled {
        breakCycles(of: waiting(node.name!), node.name!)
      } else {
        breakCycles(through: node)
      }
    }
    return !agenda.isEmpty
  }

  private func breakCycles(through node: Node) {
    var (endings, known): ([(Node, [Name])], Set<Node>) = ([], [])
    let stuck = stuck(unlessEnd: [node])
    for name in useOrder {
      for joiner in joiners().sorted(by: { $0.ticket < $1.ticket }) {
        guard case .joining(let names) = joiner.state, names.contains(name), known.insert(joiner).inserted,
          depends(node, on: joiner, passingJoins: false, within: nil, passingRaces: stuck)
        else { continue }
        let endless = endless(Array(names), joinedBy: joiner)
        for _ in endless { outputs.append(.cycle) }
        endings.append((joiner, endless))
      }
    }
    for (joiner, names) in endings.reversed() { for name in names { endWait(of: joiner, for: name) } }
  }

  private func allNodes() -> [Node] {
    var nodes: [Node] = []
    for root in roots { root.visit { nodes.append($0) } }
    return nodes
  }

  private func joiners() -> [Node] {
    allNodes().filter { node in
      if !node.isCancelled, case .joining = node.state { return true }
      return false
    }
  }

  /// Returns the nodes that keep a place under the name: those that have begun, and those that were cancelled and are
  /// cleaning up.
  private func places(_ name: Name) -> [Node] {
    scopes.filter { $0.name == name && $0.isHolder && !$0.isGone && ($0.isCancelled || !$0.isSettled) }
  }

  private func inFlight(_ name: Name) -> [Node] {
    scopes.filter { $0.name == name && !$0.isGone && ($0.isCancelled ? $0.isHolder : !$0.isSettled) }
  }

  /// Returns the nodes that can't end before one of some nodes does: all that depend on these, except those that can
  /// end without them.
  private func stuck(unlessEnd starts: [Node]) -> Set<Node> {
    let nodes = allNodes()
    var ending: Set<Node> = []
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for other in nodes where !starts.contains(other) && !ending.contains(other) && canEnd(other, once: ending) {
        ending.insert(other)
        isGrowing = true
      }
    }
    let never = Set(nodes).subtracting(ending)
    return never.filter { node in
      starts.contains { depends(node, on: $0, passingJoins: true, within: never, passingRaces: never) }
    }
  }

  private func canEnd(_ node: Node, once ending: Set<Node>) -> Bool {
    if node.isShielded { return true }
    if case .queued = node.state, !node.isCancelled, case .queued(let width)? = waiting(node.name!).first?.state {
      let taken = places(node.name!).filter { !ending.contains($0) }
      return width.map { taken.count < $0 } ?? !taken.contains(where: \.isCancelled)
    }
    let others = waitsFor(node, passingJoins: true)
    if node.isOpenRace, case .racing(let next, _) = node.state, case .race(let members, _) = node.effect {
      return next < members.count || others.isEmpty || others.contains { ending.contains($0) }
    }
    return others.allSatisfy { ending.contains($0) }
  }

  /// Returns the nodes that this node waits for now, in any way.
  private func waitsFor(_ node: Node, passingJoins: Bool) -> [Node] {
    if node.isCancelled {
      return cleanups.filter { $0.origin?.isInside(node) == true } + node.children.filter { !$0.isSettled }
    }
    if node.isShielded { return [] }
    var others = node.children.filter(\.isAttached)
    switch node.state {
    case .joining(let names) where passingJoins: others += names.flatMap { inFlight($0) }
    case .queued: others += places(node.name!)
    default: break
    }
    return others
  }

  private func depends(
    _ node: Node, on goal: Node, passingJoins: Bool, within area: Set<Node>?, passingRaces races: Set<Node>
  ) -> Bool {
    var seen: Set<Node> = []
    func reaches(_ node: Node) -> Bool {
      if node === goal { return true }
      guard area?.contains(node) ?? true, seen.insert(node).inserted else { return false }
      if node.isOpenRace, !races.contains(node) { return false }
      return waitsFor(node, passingJoins: passingJoins).contains { reaches($0) }
    }
    return reaches(node)
  }
}

extension ReferenceNode: Hashable {
  static func == (left: ReferenceNode, right: ReferenceNode) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// True if the node can end before the nodes inside of it.
  fileprivate var isShielded: Bool {
    if case .bounding = state { !isCancelled } else { false }
  }

  /// True if one child that ends is enough for the node to end.
  fileprivate var isOpenRace: Bool {
    if case .racing(_, isWon: false) = state { !isCancelled } else { false }
  }
}
