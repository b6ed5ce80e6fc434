import AsyncStore
import AsyncStoreTesting

extension StoreProgram {
  /// Runs the program on the calling thread, each step until nothing can run any more.
  ///
  /// - Returns: the violation of a law, or `nil`.
  func violation() -> ProgramViolation? {
    let harness = Harness()
    let run = ProgramRun(self, executor: harness.executor) { state, instrument, mapError in
      harness.store(of: state, env: (), instrument: instrument, mapError: mapError)
    }
    run.beginStep()
    for step in steps {
      if case .advance(let span) = step { harness.advance(by: .seconds(span)) } else { run.perform(step) }
      harness.settle()
      run.checkAtRest()
      if run.witness.first != nil { break }
    }
    // Undos and cleanups end one after the other.
    for _ in 0..<20 where run.witness.first == nil && (!run.tasks.isEmpty || harness.sleeperCount > 0) {
      run.finishAll()
      harness.advance(by: .seconds(2))
      run.checkAtRest()
    }
    if run.witness.first == nil { run.checkCompleted() }
    // A callback may activate a store again, and begin something.
    for _ in 0..<4 {
      run.endAll()
      harness.settle()
      run.finishAll()
      harness.settle()
    }
    if run.witness.first == nil { run.checkRemains() }
    run.checkRelease()
    return run.witness.first
  }

  /// Runs the program in a simulation.
  ///
  /// Two tasks perform its steps and take turns as the schedule decides.
  func run(in simulation: Simulation) async throws {
    let run = ProgramRun(self, executor: simulation.executor) { state, instrument, mapError in
      simulation.store(state, env: (), instrument: instrument, mapError: mapError)
    }
    run.beginStep()
    let tasks = (0..<2).map { half in
      Task(executorPreference: simulation.executor) {
        for index in steps.indices where index % 2 == half {
          run.perform(steps[index])
          await Task.yield()
        }
      }
    }
    for task in tasks { await task.value }
    await simulation.settle()
    run.checkAtRest()
    for _ in 0..<4 {
      run.finishAll()
      await simulation.clock.advance(by: .seconds(3))
    }
    run.checkAtRest()
    run.checkCompleted()
    for _ in 0..<4 {
      run.endAll()
      await simulation.settle()
      run.finishAll()
      await simulation.settle()
    }
    if run.witness.first == nil { run.checkRemains() }
    if let violation = run.witness.first { throw violation }
  }
}

extension ProgramRun {
  /// Lets every operation that waits end.
  func finishAll() {
    for task in tasks { task.resume() }
  }

  /// Deactivates all stores, and cancels the waits.
  func endAll() {
    for wait in waits { wait.task?.cancel() }
    for name in StoreName.allCases { deactivate(name) }
  }
}
