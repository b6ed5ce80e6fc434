import AsyncStore
import Synchronization

/// Laws that a program's own effects and models should satisfy, for checks in its tests.
///
/// Each check throws a ``SimulationFailure`` that says what is wrong. Checks that explore throw it with a schedule that
/// replays it.
///
/// ```swift
/// let search = CounterStore.Effect.task { .set(\.count, to: 3) }.debounce(for: .milliseconds(300), id: "search")
/// let report = try await Laws.cancelLeavesNothing(state: Counter(), env: service) { _, _ in search }
/// try await Laws.settles(state: Counter(), env: service) { _, _ in search }
/// try Laws.updatesPurely(states: [0, 1], actions: [1, -1]) { (count: inout Int, step: Int) in count += step }
/// // report.scheduleCount == 500
/// ```
public enum Laws {
  /// Checks that an effect can be cancelled at any moment: nothing of it commits afterwards, and all of it ends.
  ///
  /// Each schedule cancels the effect at another moment of its first thirty days: after any number of its deadlines, up
  /// to 256, either when all their consequences have happened, or in the middle of the consequences of the next
  /// deadline. An exhaustive exploration cancels it after each deadline, and between any two jobs that follow one. The
  /// effect's dependencies have to be simulated too.
  ///
  /// Every commit after the cancel counts. So the check fails for an effect whose `finally`, compensation or `mapError`
  /// commits; check those by their result.
  ///
  /// - Parameters:
  ///   - exploration: the schedules to try.
  ///   - state: the store's initial state.
  ///   - env: the dependencies of the effect.
  ///   - filePath: the file of the call; leave this and the next two to the compiler.
  ///   - line: the line of the call.
  ///   - function: the function of the call.
  ///   - effect: creates the effect for each schedule. The effect is received under an identifier, and cancelled by
  ///     that identifier.
  /// - Throws: ``SimulationFailure`` with the code `failingSchedule`.
  @discardableResult
  public static func cancelLeavesNothing<State, Env>(
    _ exploration: Exploration = .seeds(500), state: State, env: Env, filePath: StaticString = #filePath,
    line: UInt = #line, function: StaticString = #function,
    _ effect: @escaping @Sendable (Simulation, AsyncStore<State, Env>) -> AsyncStore<State, Env>.Effect
  ) async throws -> ExplorationReport {
    try await explore(exploration, filePath: filePath, line: line, function: function) { simulation in
      let commits = CommitCounter()
      let store = simulation.store(state, env: env, instrument: commits)
      store.receive(effect(simulation, store).id(Self.identifier))
      await simulation.passSome()
      store.receive(.cancel(Self.identifier))
      let count = commits.count
      await simulation.clock.run()
      if commits.count > count {
        throw SimulationFailure(.law, "The effect has committed after it was cancelled.", schedule: nil)
      }
    }
  }

  /// Checks that an effect ends, under every schedule tried, with nothing left in flight.
  ///
  /// - Parameters:
  ///   - exploration: the schedules to try.
  ///   - state: the store's initial state.
  ///   - env: the dependencies of the effect.
  ///   - filePath: the file of the call; leave this and the next two to the compiler.
  ///   - line: the line of the call.
  ///   - function: the function of the call.
  ///   - effect: creates the effect to receive, for each schedule.
  /// - Throws: ``SimulationFailure`` with the code `failingSchedule`: a deadlock, a runaway or a leak.
  @discardableResult
  public static func settles<State, Env>(
    _ exploration: Exploration = .seeds(500), state: State, env: Env, filePath: StaticString = #filePath,
    line: UInt = #line, function: StaticString = #function,
    _ effect: @escaping @Sendable (Simulation, AsyncStore<State, Env>) -> AsyncStore<State, Env>.Effect
  ) async throws -> ExplorationReport {
    try await explore(exploration, filePath: filePath, line: line, function: function) { simulation in
      let store = simulation.store(state, env: env)
      await store.run(effect(simulation, store))
    }
  }

  /// Checks that an update depends only on the state and the action: the same input gives the same result twice.
  ///
  /// The check does not detect an update that changes an object which the state refers to: both calls change the same
  /// object, and the results are equal. Keep such objects out of the state.
  ///
  /// - Parameters:
  ///   - states: the states to try, each with every action; at least one, otherwise traps, because a test of nothing
  ///     would pass.
  ///   - actions: the actions; also at least one.
  ///   - update: changes the state; its result, for example an effect, is compared by its description.
  /// - Throws: ``SimulationFailure`` with the code `law`; the errors of `update`.
  public static func updatesPurely<State: Equatable, Action, Result>(
    states: [State], actions: [Action], _ update: (inout State, Action) throws -> Result
  ) throws {
    trap(unless: !states.isEmpty, "A check of no states would find nothing; try at least one.")
    trap(unless: !actions.isEmpty, "A check of no actions would find nothing; try at least one.")
    for state in states {
      for action in actions {
        var (first, second) = (state, state)
        let words = ["\(try update(&first, action))", "\(try update(&second, action))"]
        if first == second, words[0] == words[1] { continue }
        throw SimulationFailure(
          .law,
          "The update is not pure: \(action) made \(state) into \(first) with \(words[0]), and then into \(second) with \(words[1]).",
          schedule: nil)
      }
    }
  }

  fileprivate static let identifier = EffectID("the effect under test")
}

extension Simulation {
  /// Lets part of the future happen, as choices of the schedule: any number of deadlines up to a limit, with all their
  /// consequences, and then a little more.
  fileprivate func passSome() async {
    // A long effect is cancelled late as often as early; an exhaustive exploration tries each moment anyway.
    let probability = 1 / Double(1 << random.next(in: 1...8))
    for _ in 0..<256 {
      if scheduler.choosesFault(probability) { break }
      // Everything that can run without time passing comes before the next deadline.
      await settle()
      guard let deadline = clock.nextDeadline, deadline.isSoon else { break }
      await clock.advance(to: deadline)
    }
    let outcome = scheduler.chooseOutcome(among: 9)
    switch outcome {
    case 0...4: for _ in 0..<outcome { await Task.yield() }
    case 5:
      guard let deadline = clock.nextDeadline, deadline.isSoon else { break }
      await clock.advance(to: deadline.advanced(by: .nanoseconds(-1)))
    default:
      await passToNextWake()
      for _ in 6..<outcome { await Task.yield() }
    }
  }

  /// Lets time pass until the next sleeper wakes, and returns among the consequences of that.
  ///
  /// `TestClock.advance(to:)` returns after them. A sleep of this task would wake late by a choice of its own.
  private func passToNextWake() async {
    // Tasks that are about to fall asleep do so first.
    await settle()
    guard let wake = scheduler.sleepers.first?.wake, wake.isSoon else { return }
    let (waking, continuation) = AsyncStream.makeStream(of: Never.self)
    scheduler.schedule(at: wake) { continuation.finish() }
    for await _ in waking {}
  }
}

extension TestClock.Instant {
  /// True if an effect is still to be cancelled at that time; a simulation's time is limited.
  fileprivate var isSoon: Bool { offset < .seconds(30 * 86_400) }
}

private final class CommitCounter: StoreInstrument {
  private let commits = Mutex(0)

  var count: Int { commits.withLock { $0 } }

  func record(_ event: InstrumentEvent) {
    if case .committed = event.kind { commits.withLock { $0 += 1 } }
  }
}
