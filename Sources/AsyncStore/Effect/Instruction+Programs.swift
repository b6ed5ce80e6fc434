extension Instruction where P == EffectProgram {
  /// The programs directly inside the instruction.
  var programs: [EffectProgram] {
    switch self {
    case .none, .commit, .evaluate, .operate, .attempts, .lift, .sleep, .timer, .source, .cancel, .join: []
    case .concatenate(let list), .merge(let list, _), .race(let list, _), .sequence(let list): [list]
    case .replacing(let body, _), .scope(_, _, let body), .throttle(_, _, _, _, let body), .label(let body, _),
      .retry(_, let body):
      [body]
    case .timeout(_, let body, let other), .finally(let body, let other), .compensated(let body, let other),
      .recover(let body, let other):
      [body, other]
    }
  }

  /// The height of a node with this instruction.
  var height: UInt8 {
    switch self {
    case .none, .commit, .evaluate, .operate, .attempts, .lift, .sleep, .timer, .source, .cancel, .join: 0
    case .concatenate(let list), .merge(let list, _), .race(let list, _), .sequence(let list): list.node.heightAbove
    case .replacing(let body, _), .scope(_, _, let body), .throttle(_, _, _, _, let body), .label(let body, _),
      .retry(_, let body):
      body.node.heightAbove
    case .timeout(_, let body, let other), .finally(let body, let other), .compensated(let body, let other),
      .recover(let body, let other):
      max(body.node.heightAbove, other.node.heightAbove)
    }
  }

  /// A node is one level higher than the programs inside it, so that a node of height 0 has none.
  var hasPrograms: Bool { height > 0 }
}
