/// The programs inside an instruction: an instruction with programs or identifiers of its own appears here twice.
extension Instruction where P == EffectProgram {
  /// Calls `body` with each program directly inside the instruction, in order.
  @inline(__always)
  private func forEachProgram(_ body: (EffectProgram) -> Void) {
    switch self {
    case .none, .commit, .evaluate, .operate, .attempts, .lift, .sleep, .timer, .source, .cancel, .join: break
    case .concatenate(let list), .merge(let list, _), .race(let list, _), .sequence(let list): body(list)
    case .replacing(let program, _), .scope(_, _, let program), .throttle(_, _, _, _, let program),
      .label(let program, _), .retry(_, let program):
      body(program)
    case .timeout(_, let program, let other), .finally(let program, let other), .compensate(let program, let other),
      .recover(let program, let other):
      body(program)
      body(other)
    }
  }

  /// Returns the same instruction with other programs and other identifiers.
  func replacing(
    programs: (EffectProgram) -> EffectProgram, identifiers: (EffectID) -> EffectID, all: Selection<EffectID>
  ) -> Self {
    switch self {
    case .none, .commit, .evaluate, .operate, .attempts, .lift, .sleep, .timer, .source: self
    case .cancel(let selection): .cancel(selection.replacing(identifiers, all: all))
    case .join(let selection): .join(selection.replacing(identifiers, all: all))
    case .concatenate(let list): .concatenate(programs(list))
    case .merge(let list, let limit): .merge(programs(list), limit: limit)
    case .race(let list, let toSucceed): .race(programs(list), toSucceed: toSucceed)
    case .replacing(let body, let id): .replacing(body: programs(body), identifiers(id))
    case .scope(let id, let policy, let body): .scope(identifiers(id), policy, body: programs(body))
    case .throttle(let id, let span, let leading, let trailing, let body):
      .throttle(identifiers(id), span, leading: leading, trailing: trailing, body: programs(body))
    case .label(let body, let label): .label(body: programs(body), label)
    case .timeout(let span, let body, let otherwise):
      .timeout(span, body: programs(body), otherwise: programs(otherwise))
    case .retry(let plan, let body): .retry(plan, body: programs(body))
    case .recover(let body, let handler): .recover(body: programs(body), handler: programs(handler))
    case .finally(let body, let cleanup): .finally(body: programs(body), cleanup: programs(cleanup))
    case .sequence(let list): .sequence(programs(list))
    case .compensate(let body, let undo): .compensate(body: programs(body), with: programs(undo))
    }
  }
}

extension Instruction where P == EffectProgram {
  /// The programs directly inside the instruction.
  var programs: [EffectProgram] {
    var programs: [EffectProgram] = []
    forEachProgram { programs.append($0) }
    return programs
  }

  /// The height of a node with this instruction.
  var height: UInt8 {
    var height: UInt8 = 0
    forEachProgram { height = max(height, $0.node.heightAbove) }
    return height
  }

  /// A node is one level higher than the programs inside it, so that a node of height 0 has none.
  var hasPrograms: Bool { height > 0 }
}

extension Selection where Identifier == EffectID {
  fileprivate func replacing(_ identifier: (EffectID) -> EffectID, all: Selection) -> Selection {
    switch self {
    case .identifiers(let ids): .identifiers(ids.map(identifier))
    case .prefix(let prefix): .prefix(identifier(prefix))
    case .all: all
    }
  }
}
