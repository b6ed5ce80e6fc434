@testable import AsyncStore

/// The machine and the reference model side by side.
struct Lockstep: ~Copyable {
  /// The configuration of a machine.
  struct Setting {
    var isTraced = false
    var mapsErrors = true
    /// Makes no difference to the results.
    var stepLimit: Int32 = 1024
    /// True if other events happen while a pass stands still.
    var holdsPasses = false
  }

  private(set) var shell: MachineShell
  let model: ReferenceModel

  init(_ setting: Setting = Setting()) {
    shell = MachineShell(
      isTraced: setting.isTraced, mapsErrors: setting.mapsErrors, stepLimit: setting.stepLimit,
      holdsPasses: setting.holdsPasses)
    model = ReferenceModel(mapsErrors: setting.mapsErrors, holdsPasses: setting.holdsPasses)
  }

  /// Sends the event to the machine and to the model.
  ///
  /// - Returns: a description of the difference, or `nil`. An event that can't happen now is skipped.
  mutating func perform(_ step: TestStep) -> String? {
    guard shell.allows(step.event) else { return nil }
    shell.perform(step)
    model.perform(step)
    let (machine, expected) = (shell.outputs.normalised, model.outputs.normalised)
    if machine != expected { return "\(step)\n  machine \(machine)\n  model   \(expected)" }
    if shell.standing.count != model.standing.count {
      return "\(step)\n  passes that stand still: machine \(shell.standing.count), model \(model.standing.count)"
    }
    if !shell.findsOldestUnsettled { return "\(step)\n  the oldest unsettled tree is not found" }
    if shell.nextDeadline != model.nextDeadline {
      return "\(step)\n  next deadline: machine \(String(describing: shell.nextDeadline)), "
        + "model \(String(describing: model.nextDeadline))"
    }
    return nil
  }

  /// Sends the events that end everything: sources end, operations return nothing, then everything is cancelled.
  mutating func driveToRest(cancelling: Bool) -> String? {
    if cancelling, let difference = perform(TestStep(event: .cancelAll)) { return difference }
    for round in 0..<400 {
      if round == 200, let difference = perform(TestStep(event: .cancelAll)) { return difference }
      guard let event = nextEventTowardsRest() else { break }
      if let difference = perform(TestStep(event: event)) { return difference }
    }
    return faultsAtRest()
  }

  private func nextEventTowardsRest() -> TestEvent? {
    if !shell.standing.isEmpty { return shell.machine.isSpreadingBarrier ? .arrive : .continuePass(0) }
    if shell.wantsTurn { return .turn }
    if let call = shell.delayed.keys.min() { return .resume(call) }
    guard let call = shell.running.first else { return shell.nextDeadline == nil ? nil : .fire(late: 0) }
    switch shell.calls[call]!.call {
    case .operation: return .finish(call, .none)
    case .source: return .end(call)
    case .lift: return .settleLift(call, .completed, isOver: true)
    case .remains: return .endLift(call)
    case .handler: return .answer(call, .none)
    case .decision: return .decide(call, false)
    case .tick: return .tick(call)
    }
  }

  /// Returns a description of anything that is left over when no event can happen any more.
  ///
  /// Effects that join each other may wait forever. A last `cancelAll` ends those too.
  private mutating func faultsAtRest() -> String? {
    if !shell.machine.isAtRest, let difference = perform(TestStep(event: .cancelAll)) { return difference }
    return faults(of: shell.machine)
  }

  private func faults(of machine: borrowing Machine<TestProgram>) -> String? {
    guard machine.isAtRest else {
      return "not at rest: \(machine.fibers.liveCount) fibers, \(machine.registry.count) registrations"
    }
    guard !machine.fibers.firstRoot.exists, machine.ready.isEmpty, machine.replacers == nil, machine.turns.isEmpty,
      machine.suspensions.isEmpty, machine.counts == FiberCounts()
    else { return "left over at rest" }
    guard machine.fibers.slots.allSatisfy({ machine.fibers[$0].rare == nil }), machine.registry.isEmpty,
      !machine.registry.hasIdentifiers, shell.lingering.isEmpty
    else { return "left over beside the table at rest" }
    guard model.roots.isEmpty else { return "the model is not at rest" }
    return nil
  }

  /// Replays a list of events.
  static func difference(_ steps: [TestStep], cancelling: Bool, _ setting: Setting) -> String? {
    var lockstep = Lockstep(setting)
    for step in steps {
      if let difference = lockstep.perform(step) { return difference }
    }
    return lockstep.driveToRest(cancelling: cancelling)
  }

  /// Checks one generated case.
  ///
  /// - Returns: the shrunk events and a description of the difference, or `nil`.
  static func check(seed: UInt64, nodes: Int, events: Int) -> (steps: [TestStep], difference: String)? {
    var random = RandomCase(seed: seed)
    // Tracing makes no difference to the results.
    let setting = Setting(
      isTraced: seed % 3 == 0, mapsErrors: seed % 7 != 0, stepLimit: seed % 2 == 0 ? 1024 : Int32(1 + seed % 5),
      holdsPasses: seed % 4 < 2)
    var lockstep = Lockstep(setting)
    var steps: [TestStep] = [TestStep(event: .begin(random.tree(nodes: nodes), 0))]
    var contexts = 1
    var difference = lockstep.perform(steps[0])
    for _ in 0..<events where difference == nil {
      guard let step = random.step(for: lockstep.shell, contexts: contexts, nodes: nodes / 2) else { continue }
      if case .begin = step.event { contexts += 1 }
      steps.append(step)
      difference = lockstep.perform(step)
    }
    let cancelling = seed % 2 == 0
    guard let found = difference ?? lockstep.driveToRest(cancelling: cancelling) else { return nil }
    let shrunk = shrink(steps) { Lockstep.difference($0, cancelling: cancelling, setting) != nil }
    return (shrunk, Lockstep.difference(shrunk, cancelling: cancelling, setting) ?? found)
  }
}
