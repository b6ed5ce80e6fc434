import AsyncStore

/// A record of a binding.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class BindingRecord: @unchecked Sendable {
  let plan: ProgramBinding
  let lineage: Lineage
  /// The index of the current value in the cell's history when the binding was made, and of the last value that it
  /// received.
  let start: Int
  var last: Int?
  var calls = 0
  /// True if something that leaves no trace may have ended it.
  var isUncertain = false
  /// The number of times that the upstream had been deactivated, or `nil` if the upstream is not active.
  let epoch: Int?

  init(_ plan: ProgramBinding, _ lineage: Lineage, start: Int, epoch: Int?) {
    (self.plan, self.lineage, self.start, self.epoch) = (plan, lineage, start, epoch)
  }
}

extension ProgramRun {
  func bind(_ plan: ProgramBinding) {
    let scope = Lineage(.named(plan.id, .replace), in: plan.down, below: nil)
    let wasActive = isActive[plan.down.rawValue]
    if !wasActive { scope.end(.refused) }
    let record = BindingRecord(
      plan, scope, start: history[plan.up.rawValue][plan.cell.rawValue].count - 1,
      epoch: isActive[plan.up.rawValue] ? epochs[plan.up.rawValue] : nil)
    bindings.append(record)
    let (before, passed, earlier) = (barriers, pendingCancels.count, replaced.count)
    let others = scopes.filter { $0.name == plan.id && $0.store == plan.down && $0 !== scope }
    self[plan.down].bind(id: plan.id, to: self[plan.up], on: plan.cell.keyPath) { [self] in map($0, record) }
    guard wasActive else { return }
    for other in others { if case .named(_, .replace) = other.kind { other.end(.cancelled, isKnown: true) } }
    // The callbacks during the call may have ended the binding.
    if barriers == before, pendingCancels.count == passed { begin(scope) } else { record.isUncertain = true }
    barriers += 1
    passReplaced(from: earlier)
    checkCancelled()
  }

  private func map(_ value: Int, _ record: BindingRecord) -> Effect {
    let plan = record.plan
    happens(record.lineage, "a call of mapEffect")
    if record.lineage.isStopped {
      witness.report("law 19: a binding of a store that drains gets a value", in: plan.down)
    }
    checkOrder(value, record)
    record.calls += 1
    let isChosen = record.calls == plan.at + 1
    if isChosen { callBack { perform(plan.then) } }
    let copy = Effect.set { [self] state in
      happens(record.lineage, "a binding's commit")
      switch plan.kind {
      case .copy: state.copies[plan.id] = value
      case .maximum: write(max(value, state[plan.cell]), to: plan.cell, of: plan.down, &state)
      }
    }
    guard isChosen, plan.effect != .none else { return copy }
    return .concatenate(copy, compile(plan.effect, below: Lineage(.detached, in: plan.down, below: record.lineage)).0)
  }

  /// Law 16: the current value first, then each distinct one, in order, none left out and none twice.
  private func checkOrder(_ value: Int, _ record: BindingRecord) {
    let values = history[record.plan.up.rawValue][record.plan.cell.rawValue]
    guard let place = values.lastIndex(of: value) else {
      return witness.report("law 16: a binding got a value that was never committed")
    }
    if let last = record.last, place != last + 1 {
      witness.report("law 16: a binding misses a value or gets one twice", in: record.plan.down)
    }
    if record.last == nil, place < record.start { witness.report("law 16: a binding got a value from before it began") }
    record.last = place
  }

  /// Law 17: at rest, downstream is the map of upstream.
  func checkBindings() {
    for record in bindings
    where record.epoch == epochs[record.plan.up.rawValue] && !record.lineage.isOver
      && !record.isUncertain && record.lineage.doubts == 0
    {
      let plan = record.plan
      // An effect with its name may have replaced it and left no trace.
      if named.contains(where: { $0.name == plan.id && $0.store == plan.down && !$0.hasBegun }) { continue }
      let values = history[plan.up.rawValue][plan.cell.rawValue]
      if record.last != values.count - 1 {
        witness.report("law 16: a binding has not got the last value at rest", in: plan.down)
      }
      let isMap = self[plan.down].withState { state in
        plan.kind == .copy ? state.copies[plan.id] == values.last! : state[plan.cell] >= values.last!
      }
      if !isMap { witness.report("law 17: at rest downstream is not the map of upstream", in: plan.down) }
    }
  }
}

extension ProgramCell {
  var keyPath: KeyPath<ProgramState, Int> & Sendable { self == .x ? \.x : \.y }
}
