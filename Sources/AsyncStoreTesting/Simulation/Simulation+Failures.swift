// The failures that a simulation reports.
extension Simulation {
  func failure(for ending: Scheduler.Ending) -> (any Error)? {
    switch ending {
    case .finished:
      return nil
    case .cancelled:
      return CancellationError()
    case .cutShort:
      return CutShort()
    case .failed(let error):
      return error
    case .deadlock:
      return failure(
        .deadlock,
        scheduler.sleepers.isEmpty
          ? "Nothing can run, nothing sleeps, and the body has not ended. It waits for an event that never happens, or "
            + "that comes from outside of the simulation: from another thread, from real input and output."
          : "Nothing can run any more, and time stands still: let it pass with the simulation's clock, or simulate "
            + "with automatic time."
      )
    case .starved:
      return failure(
        .starvation,
        "After \(scheduler.options.limits.jobs) jobs the body had not ended, and it did once every task had its turn. "
          + "Either some tasks spin and keep others from running: have them wait for what they need; "
          + "or the limit is too low.")
    case .tooManyJobs:
      let status = scheduler.hasMainEnded ? "has ended, and what it has begun continues" : "has not ended"
      return failure(
        .runaway,
        "After \(scheduler.options.limits.jobs) jobs the body \(status). Either something spins, or "
          + "the limit is too low.")
    case .endlessJob(let origin):
      return failure(
        .runaway,
        "A task has continued at `await` \(scheduler.options.limits.jobs) times in a row without letting anything else "
          + "run: it spins on one actor, or on none, and never suspends. Have it wait for what it needs, or yield; or "
          + "raise the limit of jobs.",
        origin.words)
    case .tooLate:
      return failure(
        .runaway,
        "The virtual time has reached its limit, and the body has not ended. "
          + "Either something repeats forever, or the limit is too low."
      )
    case .escaped(.resumed(let origin)):
      return failure(
        .escape,
        "A task of the simulation was resumed from a thread that the simulation doesn't know, so the simulation does not decide the order of events. Replace the code on that thread by code that runs in the simulation.",
        origin.words)
    case .escaped(.systemSleep(let origin)):
      let subject = origin?.isAlarm == true ? "A store" : "A task, or a store,"
      return failure(
        .escape,
        "Something sleeps on the system's clock. Make stores with `Simulation.store`, and pass the simulation's clock to all other code that sleeps.",
        "\(subject) sleeps on it.\(origin.words.map { " \($0)" } ?? "")")
    }
  }

  func leak() -> SimulationFailure? {
    let isKnown = !clock.unknownSleepers.isEmpty || !stores.report.isEmpty || !scheduler.plainTasks.isEmpty
    guard isKnown || !members.isEmpty else { return nil }
    return failure(
      .leak,
      "The body has ended, and something is still in flight. Wait for it, cancel it, deactivate its store; or simulate with `atEnd: .cancels`.",
      isKnown
        ? nil
        : "A task has not returned: one that began on an actor or at once, one that has an executor of its own, or the operation of a store that was deactivated. Cancellation does not end what it waits for."
    )
  }

  /// - Parameter detail: text that may differ for the same failure at another time.
  func failure(_ code: SimulationFailure.Code, _ message: String, _ detail: String? = nil) -> SimulationFailure {
    var lines = ["\(code.description.capitalizedFirst): \(message)"]
    if let detail { lines.append(detail) }
    if code == .deadlock { lines += waits }
    if code == .runaway || code == .starvation {
      lines += stores.unsettledBindings.map {
        "Bindings have triggered each other at least 1,000 times, and have not settled: \($0)."
      }
    }
    let report = stores.report
    if !report.isEmpty { lines.append("In flight in \(report)") }
    let sleepers = clock.unknownSleepers
    for (isStore, name) in [(false, "a task"), (true, "a store that is not watched,")] {
      let deadlines = sleepers.filter { $0.isUnwatchedStore == isStore }.map { "\($0.deadline)" }
      if deadlines.isEmpty { continue }
      lines.append("Asleep on the clock: \(name) until \(deadlines.joined(separator: ", another until "))")
    }
    let plainTasks = scheduler.plainTasks
    if !plainTasks.isEmpty {
      let (subject, verb) = plainTasks.count == 1 ? ("A task has", "was") : ("\(plainTasks.count) tasks have", "were")
      let origins = plainTasks.compactMap(\.origin?.name)
      let places = origins.isEmpty ? "" : ", in \(origins.joined(separator: ", "))"
      let names = plainTasks.compactMap { scheduler.taskNames[$0.number]?.debugDescription }
      let nameList = names.isEmpty ? "" : ", named \(names.joined(separator: ", "))"
      lines.append(
        "\(subject) not returned that \(verb) made with `Task { … }`\(places)\(nameList): what they wait for has not "
          + "come, or comes from outside of the simulation."
      )
    }
    let seed = isSeeded ? "seed \(seed)" : "no seed"
    lines.append("It is \(clock.now) since the beginning; \(seed), \(scheduler.jobCount) jobs.")
    return SimulationFailure(
      code, lines.joined(separator: "\n"), schedule: schedule, details: [message] + stores.effects)
  }
}

extension Simulation {
  /// Lines about the tasks that wait for each other.
  private var waits: [String] {
    TaskWaits(scheduler.plainTasks, main: main.value, names: scheduler.taskNames).lines
  }
}

/// The error of a simulation that has reached its limit of real time.
struct CutShort: Error {}

extension CodePlace? {
  /// A sentence that names the function that created a task.
  fileprivate var words: String? { self?.name.map { "It was made in \($0)." } }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
