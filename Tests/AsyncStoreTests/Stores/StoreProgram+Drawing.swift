@testable import AsyncStore

/// Draws programs from a seed.
struct StoreProgramGenerator {
  private var generator: SplitMix64
  /// The remaining number of nested actions.
  ///
  /// It is low because their total must stay small.
  private var actionBudget = 5
  /// True for programs that have few schedules.
  private let isSmall: Bool
  /// The kinds of actions, of effects, and of effects without others inside.
  private let (actionKinds, effectKinds, leafKinds): (DrawnKinds, DrawnKinds, DrawnKinds)

  init(seed: UInt64, isSmall: Bool = false) {
    generator = SplitMix64(seed: seed)
    self.isSmall = isSmall
    let areFew = generator.next() % 2 == 0
    actionKinds = DrawnKinds(of: 26, areFew: areFew, using: &generator)
    effectKinds = DrawnKinds(of: 25, areFew: areFew, using: &generator)
    leafKinds = DrawnKinds(of: 40, areFew: areFew, using: &generator)
  }

  private mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  private mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
  /// Draws two of the stores more often than the third, because failures arise where effects meet.
  private mutating func store() -> StoreName { pick([.a, .a, .a, .b, .b, .c]) }
  private mutating func cell() -> ProgramCell { oneIn(3) ? .y : .x }
  private mutating func name() -> Int { pick([0, 0, 1, 2]) }

  mutating func program(steps: Int) -> StoreProgram {
    var program = StoreProgram()
    program.instrumented = StoreName.allCases.filter { _ in oneIn(3) }
    for _ in 0..<(1 + below(steps)) { program.steps.append(step()) }
    if isSmall { return program }
    if oneIn(2) { program.hooks.append(hook(&program.instrumented)) }
    return program
  }

  private mutating func hook(_ instrumented: inout [StoreName]) -> ProgramHook {
    let hook = ProgramHook(
      place: pick([.instrument, .listener, .mapError]), store: store(), at: below(4), then: actions())
    if hook.place == .instrument, !instrumented.contains(hook.store) { instrumented.append(hook.store) }
    return hook
  }

  // MARK: Actions

  private mutating func step() -> ProgramAction {
    actionBudget = isSmall ? 3 : 5
    switch below(12) {
    case 0: return .advance(1 + below(3))
    case 1, 2: return .finish(below(2))
    default: return action(mayNest: true)
    }
  }

  private mutating func actions() -> [ProgramAction] {
    guard !oneIn(4) else { return [] }
    return (0..<(1 + below(2))).compactMap { _ in
      actionBudget -= 1
      return actionBudget > 0 ? action(mayNest: actionBudget > 2) : nil
    }
  }

  private mutating func action(mayNest: Bool) -> ProgramAction {
    switch actionKinds.draw(using: &generator) {
    case 24: return .shutdown(store(), drain: below(3), cleanup: below(4))
    case 0..<8: return receive(mayNest: mayNest)
    case 8..<11: return .cancel(store(), name())
    case 11: return .cancelHandle(below(3))
    case 12: return .deactivate(store())
    case 13: return .activate(store())
    case 14..<17: return .bind(binding(mayNest: mayNest))
    case 17:
      return .track(
        store(), cell(), then: mayNest && oneIn(2) ? actions() : [], onChange: mayNest && oneIn(3) ? actions() : [])
    case 19: return .trackElement(store(), below(3))
    case 18: return .wait(store(), cell(), remainder: below(3), then: mayNest && !oneIn(3) ? actions() : [])
    case 20: return oneIn(2) ? .waitForElement(store(), below(3)) : .finish(below(2))
    case 21, 22: return .receive(store(), .concatenate([.set(cell()), .set(cell())]))
    default: return .receive(store(), oneIn(2) ? .set(cell()) : .pop)
    }
  }

  private mutating func receive(mayNest: Bool) -> ProgramAction {
    let store = store()
    var budget = 1 + below(isSmall ? 3 : 6)
    return .receive(store, effect(&budget, in: store, under: [], mayNest: mayNest))
  }

  private mutating func binding(mayNest: Bool) -> ProgramBinding {
    var binding = ProgramBinding(id: name(), down: store(), up: store(), cell: cell())
    // A store bound to itself copies only.
    if oneIn(3), binding.down != binding.up { binding.kind = .maximum }
    guard mayNest, oneIn(2) else { return binding }
    binding.at = below(3)
    binding.then = actions()
    if oneIn(2) {
      var budget = 3
      binding.effect = effect(&budget, in: binding.down, under: [Scope(binding.down, binding.id)], mayNest: false)
    }
    return binding
  }

  // MARK: Effects

  /// An identifier that encloses the effect that is drawn.
  ///
  /// A scope does not replace one that encloses it.
  private struct Scope: Hashable {
    let store: StoreName
    let id: Int
    init(_ store: StoreName, _ id: Int) { (self.store, self.id) = (store, id) }
  }

  private mutating func effect(
    _ budget: inout Int, in store: StoreName, under scopes: Set<Scope>, mayNest: Bool
  ) -> ProgramEffect {
    budget -= 1
    guard budget > 0 else { return leaf(mayNest: mayNest, in: store, under: scopes) }
    func inner(_ generator: inout Self, _ budget: inout Int) -> ProgramEffect {
      generator.effect(&budget, in: store, under: scopes, mayNest: mayNest)
    }
    switch effectKinds.draw(using: &generator) {
    case 22:
      let members = (0..<(2 + below(2))).map { _ in inner(&self, &budget) }
      return .sequence(members, undo: leaf(mayNest: mayNest, in: store, under: scopes))
    case 23:
      return .race((0..<(1 + below(2))).map { _ in inner(&self, &budget) })
    case 24:
      return .timeout(1 + below(2), inner(&self, &budget))
    case 0..<5:
      return .concatenate((0..<(2 + below(2))).map { _ in inner(&self, &budget) })
    case 5..<7:
      return .merge((0..<(2 + below(2))).map { _ in inner(&self, &budget) })
    case 7..<11:
      let id = name()
      let scope = Scope(store, id)
      if scopes.contains(scope) { return inner(&self, &budget) }
      let policy = oneIn(6) ? pick(ProgramPolicy.allCases) : .replace
      let body = effect(&budget, in: store, under: scopes.union([scope]), mayNest: mayNest)
      return .id(id, body, policy: policy)
    case 11..<17:
      let target = self.store()
      return .lift(target, effect(&budget, in: target, under: scopes, mayNest: mayNest))
    case 17:
      let cleanup = inner(&self, &budget)
      return .finally(inner(&self, &budget), cleanup)
    case 18:
      return .recover(inner(&self, &budget), answer: inner(&self, &budget), then: mayNest && oneIn(3) ? actions() : [])
    case 19:
      let id = name()
      let scope = Scope(store, id)
      if scopes.contains(scope) { return .set(cell()) }
      return .timer(id, every: 1 + below(2), effect(&budget, in: store, under: scopes.union([scope]), mayNest: mayNest))
    default:
      return .task(operation(returning: inner(&self, &budget), mayNest: mayNest))
    }
  }

  private mutating func leaf(mayNest: Bool, in store: StoreName, under scopes: Set<Scope>) -> ProgramEffect {
    switch leafKinds.draw(using: &generator) {
    case 0..<16: return .set(cell())
    case 16..<18: return .push
    case 18..<20: return .pop
    case 20..<30: return .task(operation(returning: oneIn(2) ? .set(cell()) : .none, mayNest: mayNest))
    case 30..<34: return .sleep(1 + below(2))
    case 34..<38: return .cancel(name())
    case 38:
      let id = name()
      guard !scopes.contains(where: { $0.id == id }) else { return .none }
      // A deep one must not depend on ending by itself.
      let timer = ProgramEffect.timer(id, every: 1, .set(.x))
      return oneIn(4) ? .deepLift(self.store(), depth: 200, timer) : timer
    default: return oneIn(20) ? .deepTasks(400) : oneIn(20) ? .long : .none
    }
  }

  private mutating func operation(returning effect: ProgramEffect, mayNest: Bool) -> ProgramOperation {
    var operation = ProgramOperation(waits: !oneIn(4), obeys: oneIn(2), end: oneIn(5) ? .fails : .returns(effect))
    guard mayNest else { return operation }
    if oneIn(4) { operation.body = actions() }
    // A cancel during another cancel.
    switch below(4) {
    case 0:
      operation.onCancel = [
        oneIn(3) ? .deactivate(store()) : oneIn(2) ? .cancelHandle(below(3)) : .cancel(store(), name())
      ]
    case 1: operation.onCancel = actions()
    default: break
    }
    return operation
  }
}
