@testable import AsyncStore

/// The completion of an effect that a cancel has reached.
///
/// Only other stores know: the effect may have waited just for lifts into them, which had completed there.
indirect enum Completion {
  case never, always
  case lift(ReferenceNode)
  case all([Completion])
  case any([Completion])

  /// `nil` as long as it depends on lifts that have not ended.
  var value: Bool? {
    switch self {
    case .never: return false
    case .always: return true
    case .lift(let node): return node.liftEnding.map { $0 != .incomplete }
    case .all(let parts):
      let values = parts.map(\.value)
      return values.contains(false) ? false : values.contains(nil) ? nil : true
    case .any(let parts):
      let values = parts.map(\.value)
      return values.contains(true) ? true : values.contains(nil) ? nil : false
    }
  }
}

extension ReferenceModel {
  /// Returns whether a node that no cancel has reached has completed with all that it waited for, now that it ends.
  func hasCompleted(_ node: Node) -> Bool {
    !node.hasFailed && (!node.endsEarly || node.completion.value == true)
  }

  /// Returns whether a cancelled node had completed before.
  func mayHaveCompleted(_ node: Node) -> Bool {
    !node.hasFailed && !node.isAbandoned && node.completion.value == true
  }

  /// Returns what has to have completed elsewhere for the node to be complete if it is cancelled now.
  func completion(of node: Node) -> Completion {
    if node.isCancelled { return node.completion }
    guard !node.hasFailed else { return .never }
    let children = node.children.filter(\.isAttached)
    if node.endsEarly {
      if case .sequence(let next) = node.state, case .concatenate(let members) = node.effect, next < members.count {
        return .never
      }
      // It may wait for the cleanup of its last effect, which a cancel has reached before, and for nothing else.
      if case .ordered(let next) = node.state, case .sequence(let members) = node.effect,
        next < members.count || node.failure != nil || !node.recorded.isEmpty
      {
        return .never
      }
      return children.allSatisfy(isIgnored) ? node.completion : .never
    }
    if isBeforeItsEnd(node) { return .always }
    switch (node.state, node.effect) {
    case (.lifting, _):
      return .lift(node)
    case (.sequence(let next), .concatenate(let members)):
      return next == members.count ? all(children) : .never
    case (.merging(let next), .merge(let members, _)):
      guard next == members.count else { return .never }
      return all(children)
    case (.racing(_, isWon: false), _):
      let entrants = children.filter { !isIgnored($0) }
      return entrants.isEmpty ? .never : .any(entrants.map { $0.isCancelled ? .never : completion(of: $0) })
    case (.ordered(let next), .sequence(let members)):
      guard next == members.count, node.failure == nil else { return .never }
      if !node.recorded.isEmpty, children.contains(where: \.isCancelled) { return .never }
      return all(children)
    case (.wrapping, _), (.bounding, _), (.retrying, _), (.finalizing, _), (.compensating, _):
      return all(children)
    default:
      return .never
    }
  }

  private func isIgnored(_ node: Node) -> Bool { node.isCancelled && node.isApart || node.origin != nil }

  /// Returns whether all of these have completed, except those that an earlier cancel has reached and their cleanups,
  /// whose ending does not matter.
  ///
  /// Nothing is complete that waits for nothing else: it would have ended.
  private func all(_ nodes: [Node]) -> Completion {
    let parts = nodes.filter { !isIgnored($0) }
    return parts.isEmpty ? .never : .all(parts.map { $0.isSpared ? .never : completion(of: $0) })
  }
}
