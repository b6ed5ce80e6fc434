@testable import AsyncStore

/// Drops events and subtrees as long as the case still fails.
func shrink(_ steps: [TestStep], while fails: ([TestStep]) -> Bool) -> [TestStep] {
  var best = steps
  var budget = 3_000
  var isProgressing = true
  while isProgressing, budget > 0 {
    isProgressing = false
    for candidate in smaller(best) {
      budget -= 1
      guard budget > 0 else { break }
      if fails(candidate) {
        best = candidate
        isProgressing = true
        break
      }
    }
  }
  return best
}

private func smaller(_ steps: [TestStep]) -> [[TestStep]] {
  var candidates: [[TestStep]] = []
  for index in steps.indices.reversed() {
    var rest = steps
    rest.remove(at: index)
    candidates.append(rest)
  }
  for index in steps.indices {
    for event in steps[index].event.smaller {
      var changed = steps
      changed[index].event = event
      candidates.append(changed)
    }
    if !steps[index].mayCommit {
      var changed = steps
      changed[index].mayCommit = true
      candidates.append(changed)
    }
  }
  return candidates
}

extension TestEvent {
  fileprivate var smaller: [TestEvent] {
    switch self {
    case .begin(let tree, let context): tree.smaller.map { .begin($0, context) }
    case .finish(let call, let tree): tree.smaller.map { .finish(call, $0) }
    case .answer(let call, let tree): tree.smaller.map { .answer(call, $0) }
    case .emit(let call, let tree): tree.smaller.map { .emit(call, $0) }
    case .fire(let late) where late > 0: [.fire(late: 0), .fire(late: late - 1)]
    default: []
    }
  }
}

extension Tree {
  /// The trees with one subtree less, or with one subtree in its parent's place.
  var smaller: [Tree] {
    switch self {
    case .none: return []
    case .concatenate(let members): return members + Self.smaller(members).map { .concatenate($0) } + [.none]
    case .merge(let members, let limit):
      let simple: [Tree] = limit == .max ? [] : [.merge(members, limit: .max)]
      return members + simple + Self.smaller(members).map { .merge($0, limit: limit) } + [.none]
    case .race(let members, let toSucceed):
      return members + Self.smaller(members).map { .race($0, toSucceed: toSucceed) } + [.none]
    case .evaluate(let number, let tree):
      return [tree, .commit(number)] + tree.smaller.map { .evaluate(number, $0) }
    case .timer(let interval, let tree): return tree.smaller.map { .timer(interval, $0) } + [.none]
    case .scope(let name, let policy, let body):
      let simple: [Tree] = policy == .replace ? [] : [.scope(name, .replace, body)]
      return [body] + simple + body.smaller.map { .scope(name, policy, $0) }
    case .throttle(let name, let span, let leading, let trailing, let body):
      return [body] + body.smaller.map { .throttle(name, span, leading: leading, trailing: trailing, $0) }
    case .label(let body): return [body] + body.smaller.map { .label($0) }
    case .ownLift(let body): return [body] + body.smaller.map { .ownLift($0) }
    case .timeout(let span, let body, let otherwise):
      return [body, otherwise] + body.smaller.map { .timeout(span, $0, otherwise) }
        + otherwise.smaller.map { .timeout(span, body, $0) }
    case .retry(let schedule, let asks, let body):
      let simple: [Tree] = asks ? [.retry(schedule, body)] : []
      return [body] + simple + body.smaller.map { .retry(schedule, asks: asks, $0) }
    case .attempts(let schedule, let asks, let number):
      return [.operate(number), .none] + (asks ? [.attempts(schedule, number)] : [])
    case .recover(let body, let answer):
      return [body, answer] + body.smaller.map { .recover($0, answer: answer) }
        + answer.smaller.map { .recover(body, answer: $0) }
    case .finally(let body, let cleanup):
      return [body, cleanup] + body.smaller.map { .finally($0, cleanup) } + cleanup.smaller.map { .finally(body, $0) }
    case .sequence(let members):
      return members + [.concatenate(members)] + Self.smaller(members).map { .sequence($0) } + [.none]
    case .compensated(let body, let undo):
      return [body, undo] + body.smaller.map { .compensated($0, by: undo) }
        + undo.smaller.map { .compensated(body, by: $0) }
    default: return [.none]
    }
  }

  private static func smaller(_ members: [Tree]) -> [[Tree]] {
    var candidates: [[Tree]] = []
    for index in members.indices {
      var rest = members
      rest.remove(at: index)
      candidates.append(rest)
    }
    for index in members.indices {
      for tree in members[index].smaller {
        var changed = members
        changed[index] = tree
        candidates.append(changed)
      }
    }
    return candidates
  }
}
