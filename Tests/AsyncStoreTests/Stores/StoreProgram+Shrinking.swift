extension StoreProgram {
  /// Programs without one part, or with a part in place of the one that encloses it.
  var smaller: [StoreProgram] {
    var programs: [StoreProgram] = []
    for steps in variants(of: steps) { programs.append(with { $0.steps = steps }) }
    for hooks in variants(of: hooks, by: \.smaller) { programs.append(with { $0.hooks = hooks }) }
    for stores in variants(of: instrumented, by: { _ in [] }) { programs.append(with { $0.instrumented = stores }) }
    return programs
  }

  private func with(_ change: (inout StoreProgram) -> Void) -> StoreProgram {
    var copy = self
    change(&copy)
    return copy
  }

  /// Returns the smallest program that still fails and that single steps reach.
  func shrunk(budget: Int = 4_000, while fails: (StoreProgram) -> Bool) -> StoreProgram {
    var best = self
    var budget = budget
    var isProgressing = true
    while isProgressing {
      isProgressing = false
      for candidate in best.smaller {
        budget -= 1
        guard budget > 0 else { return best }
        guard fails(candidate) else { continue }
        best = candidate
        isProgressing = true
        break
      }
    }
    return best
  }
}

/// The list without one of its items, then with one of them smaller.
private func variants<Item>(of items: [Item], by smaller: (Item) -> [Item]) -> [[Item]] {
  var lists: [[Item]] = []
  for index in items.indices.reversed() {
    var rest = items
    rest.remove(at: index)
    lists.append(rest)
  }
  for index in items.indices {
    for item in smaller(items[index]) {
      var changed = items
      changed[index] = item
      lists.append(changed)
    }
  }
  return lists
}

private func variants(of actions: [ProgramAction]) -> [[ProgramAction]] {
  var lists = variants(of: actions, by: \.smaller)
  for index in actions.indices where !actions[index].inner.isEmpty {
    var changed = actions
    changed.replaceSubrange(index...index, with: actions[index].inner)
    lists.append(changed)
  }
  return lists
}

extension ProgramHook {
  var smaller: [ProgramHook] {
    variants(of: then).map { .init(place: place, store: store, at: at, then: $0) }
      + (at > 0 ? [.init(place: place, store: store, at: at - 1, then: then)] : [])
  }
}

extension ProgramAction {
  /// The actions inside of it.
  var inner: [ProgramAction] {
    switch self {
    case .receive(_, .task(let operation)): operation.body + operation.onCancel
    case .bind(let binding): binding.then
    case .track(_, _, let actions, let onChange): actions + onChange
    case .wait(_, _, _, let actions): actions
    default: []
    }
  }

  var smaller: [ProgramAction] {
    switch self {
    case .receive(let store, let effect): return effect.smaller.map { .receive(store, $0) }
    case .bind(let binding): return binding.smaller.map { .bind($0) }
    case .track(let store, let cell, let actions, let onChange):
      return variants(of: actions).map { .track(store, cell, then: $0, onChange: onChange) }
        + variants(of: onChange).map { .track(store, cell, then: actions, onChange: $0) }
    case .wait(let store, let cell, let remainder, let actions):
      return variants(of: actions).map { .wait(store, cell, remainder: remainder, then: $0) }
    case .cancelHandle(let index) where index > 0: return [.cancelHandle(index - 1)]
    case .finish(let index) where index > 0: return [.finish(index - 1)]
    case .advance(let span) where span > 1: return [.advance(span - 1)]
    case .shutdown(let store, let drain, let cleanup):
      return (drain > 0 ? [.shutdown(store, drain: drain - 1, cleanup: cleanup)] : [])
        + (cleanup > 1 ? [.shutdown(store, drain: drain, cleanup: cleanup - 1)] : [])
    default: return []
    }
  }
}

extension ProgramBinding {
  var smaller: [ProgramBinding] {
    var bindings: [ProgramBinding] = []
    func with(_ change: (inout ProgramBinding) -> Void) {
      var copy = self
      change(&copy)
      bindings.append(copy)
    }
    if kind != .copy { with { $0.kind = .copy } }
    if at > 0 { with { $0.at -= 1 } }
    if effect != .none { with { $0.effect = .none } }
    for effect in effect.smaller { with { $0.effect = effect } }
    for actions in variants(of: then) { with { $0.then = actions } }
    return bindings
  }
}

extension ProgramOperation {
  var smaller: [ProgramOperation] {
    var operations: [ProgramOperation] = []
    func with(_ change: (inout ProgramOperation) -> Void) {
      var copy = self
      change(&copy)
      operations.append(copy)
    }
    if end != .returns(.none) { with { $0.end = .returns(.none) } }
    if case .returns(let effect) = end {
      for effect in effect.smaller { with { $0.end = .returns(effect) } }
    }
    if obeys { with { $0.obeys = false } }
    for actions in variants(of: body) { with { $0.body = actions } }
    for actions in variants(of: onCancel) { with { $0.onCancel = actions } }
    return operations
  }
}

extension ProgramEffect {
  var smaller: [ProgramEffect] {
    switch self {
    case .none: return []
    case .concatenate(let members): return members + variants(of: members, by: \.smaller).map { .concatenate($0) }
    case .merge(let members): return members + variants(of: members, by: \.smaller).map { .merge($0) }
    case .task(let operation): return [.none] + operation.smaller.map { .task($0) }
    case .timer(let id, let span, let body): return [.none] + body.smaller.map { .timer(id, every: span, $0) }
    case .id(let id, let body, let policy):
      let simple: [ProgramEffect] = policy == .replace ? [] : [.id(id, body)]
      return [body] + simple + body.smaller.map { .id(id, $0, policy: policy) }
    case .lift(let store, let body): return [body] + body.smaller.map { .lift(store, $0) }
    case .deepLift(let store, let depth, let body):
      return [.lift(store, body), .deepLift(store, depth: depth * 3 / 4, body)]
        + body.smaller.map { .deepLift(store, depth: depth, $0) }
    case .deepTasks(let depth): return [.none, .deepTasks(depth * 3 / 4)]
    case .sequence(let members, let undo):
      return [.concatenate(members)] + undo.smaller.map { .sequence(members, undo: $0) }
        + variants(of: members, by: \.smaller).map { .sequence($0, undo: undo) }
    case .race(let members): return members + variants(of: members, by: \.smaller).map { .race($0) }
    case .timeout(let span, let body): return [body] + body.smaller.map { .timeout(span, $0) }
    case .finally(let body, let cleanup):
      return [body, cleanup] + body.smaller.map { .finally($0, cleanup) } + cleanup.smaller.map { .finally(body, $0) }
    case .recover(let body, let answer, let actions):
      return [body, answer] + body.smaller.map { .recover($0, answer: answer, then: actions) }
        + answer.smaller.map { .recover(body, answer: $0, then: actions) }
        + variants(of: actions).map { .recover(body, answer: answer, then: $0) }
    case .set, .long, .push, .pop, .sleep, .cancel: return [.none]
    }
  }
}
