@testable import AsyncStore

/// Translates a program's effects into the stores' own.
extension ProgramRun {
  typealias Effect = ProgramStore.Effect

  func compile(_ effect: ProgramEffect, below lineage: Lineage) -> (Effect, ProgramNode) {
    let store = lineage.store.rawValue
    let node = ProgramNode(effect, lineage, epoch: isActive[store] ? epochs[store] : nil)
    return (compile(node, lineage), node)
  }

  private func compile(_ effect: ProgramEffect, _ lineage: Lineage, under node: ProgramNode) -> Effect {
    let (effect, child) = compile(effect, below: lineage)
    node.children.append(child)
    return effect
  }

  private func compile(_ node: ProgramNode, _ lineage: Lineage) -> Effect {
    let store = lineage.store
    func below(_ kind: Lineage.Kind, in other: StoreName? = nil, _ sequence: Lineage.Sequence? = nil) -> Lineage {
      Lineage(kind, in: other ?? store, below: lineage, sequence: sequence)
    }
    switch node.effect {
    case .none:
      return .none
    case .set(let cell):
      return commit(node) { run, state in run.write(run.freshNumber(), to: cell, of: store, &state) }
    case .long:
      return .concatenate(
        effects: (0..<Self.longPrefix).map { _ in
          .set { [self] _ in
            if node.lineage.isOver { witness.report("law 7: a commit after its barrier has returned", in: store) }
            if node.count == 0 { happens(node.lineage, "a commit") }
            node.count += 1
            noteStep(of: node)
          }
        })
    case .push:
      return commit(node) { run, state in state.list.append(run.freshNumber()) }
    case .pop:
      return commit(node) { _, state in _ = state.list.popLast() }
    case .concatenate(let members):
      let sequence = Lineage.Sequence()
      return .concatenate(
        effects: members.enumerated().map { compile($1, below(.member($0), sequence), under: node) })
    case .merge(let members):
      return .merge(effects: members.map { compile($0, lineage, under: node) })
    case .task(let plan):
      return .task { [self] in try await operate(node, plan) }
    case .sleep(let span):
      return .sleep(.seconds(span))
    case .timer(let name, let span, let body):
      let scope = below(.named(name, .replace))
      named.append(scope)
      timers.append(scope)
      node.scope = scope
      return .timer(.seconds(span), id: name) { [self] tick in
        let tick = (tick, effect: Lineage(.detached, in: store, below: scope))
        happens(tick.effect, "a tick")
        if scope.isStopped { witness.report("law 19: a tick of a store that drains", in: store) }
        return tick.0.index > 2 ? .none : compile(body, below: tick.effect).0
      }
    case .id(let name, let body, let policy):
      let scope = below(.named(name, policy))
      named.append(scope)
      return compile(body, scope, under: node).id(name, policy.identifierPolicy)
    case .cancel(let name):
      return .concatenate(
        commit(node) { run, _ in
          run.cancelledNames.insert(ScopeName(store: store, id: name))
          run.pendingCancels.append(run.scopes.filter { $0.name == name && $0.store == store })
        },
        .cancel(name))
    case .lift(let target, let body):
      return .lift(compile(body, below(.lifted, in: target), under: node), to: self[target])
    case .deepLift(let target, let depth, let body):
      return deepLift(compile(body, below(.lifted, in: target), under: node), to: target, depth)
    case .deepTasks(let depth):
      return deepTasks(depth)
    case .finally(let body, let cleanup):
      let effect = compile(body, lineage, under: node)
      return effect.finally(compile(cleanup, below(.afterlife), under: node))
    case .sequence(let members, let undo):
      let sequence = Lineage.Sequence()
      return .sequence(
        effects: members.enumerated().map { place, member in
          let effect = compile(member, below(.member(place), sequence), under: node)
          if place == members.count - 1 { return effect }
          return effect.compensate(with: compile(undo, below: below(.afterlife)).0)
        })
    case .race(let members):
      return .race(effects: members.map { compile($0, lineage, under: node) })
    case .timeout(let span, let body):
      return compile(body, lineage, under: node).timeout(.seconds(span))
    case .recover(let body, let answer, let actions):
      return compile(body, lineage, under: node).recover { [self] _ in
        noteStack()
        perform(actions)
        return compile(answer, below: Lineage(.afterlife, in: store, below: lineage)).0
      }
    }
  }

  static let longPrefix = 3_000

  /// Law 11: after this many steps the lock is released, and then the instrument is notified.
  private func noteStep(of node: ProgramNode) {
    let store = node.lineage.store
    untold[store.rawValue] += 1
    guard node.isWatched, program.instrumented.contains(store), untold[store.rawValue] > 1_024 else { return }
    witness.report("law 11: the lock is not given up", in: store)
  }

  private func commit(_ node: ProgramNode, _ change: @escaping (ProgramRun, inout ProgramState) -> Void) -> Effect {
    nonisolated(unsafe) let change = change  // Only the thread that runs the program calls it.
    return .set { [self] state in
      happens(node.lineage, "a commit")
      node.count += 1
      if node.count > 1 { witness.report("a mutation was committed twice") }
      change(self, &state)
    }
  }

  private func deepLift(_ body: Effect, to target: StoreName, _ depth: Int) -> Effect {
    var effect = body
    for index in 0..<depth {
      let store = StoreName.allCases[(target.rawValue + index) % 3]
      effect = .lift(effect, to: self[store])
    }
    return effect
  }

  private func deepTasks(_ depth: Int) -> Effect {
    let end = StackProbe(self)
    var effect = Effect.task { withExtendedLifetime(end) { .none } }
    for _ in 0..<depth { effect = .task { [effect] in effect } }
    return .concatenate(.sleep(.seconds(1)), effect)
  }

  // MARK: Operations

  private func operate(_ node: ProgramNode, _ plan: ProgramOperation) async throws -> Effect {
    happens(node.lineage, "an operation's start")
    node.count += 1
    if node.count > 1 { witness.report("an operation was started twice") }
    let task = ProgramTask(node, plan)
    tasks.append(task)
    defer { tasks.removeAll { $0 === task } }
    try await withTaskCancellationHandler {
      perform(plan.body)
      guard plan.waits else { return }
      if plan.obeys { try Task.checkCancellation() }
      try await withUnsafeThrowingContinuation { task.continuation = $0 }
    } onCancel: {
      task.isCancelled = true
      noteStack()
      perform(plan.onCancel)
      if plan.obeys { task.resume(throwing: CancellationError()) }
    }
    switch plan.end {
    case .fails: throw Failure("planned")
    case .returns(let effect): return compile(effect, node.lineage, under: node)
    }
  }
}

/// Measures the stack when the last part of a chain is released.
///
/// `@unchecked`: see ``ProgramRun``.
private final class StackProbe: @unchecked Sendable {
  private unowned let run: ProgramRun
  init(_ run: ProgramRun) { self.run = run }
  deinit { run.noteStack(for: "effects that closures hold, when they are freed") }
}

extension ProgramPolicy {
  fileprivate var identifierPolicy: IdentifierPolicy {
    switch self {
    case .replace: .replace
    case .keepFirst: .keepFirst
    case .queue: .queue(capacity: 1)
    case .replaceAfterCleanup: .replaceAfterCleanup
    }
  }
}
