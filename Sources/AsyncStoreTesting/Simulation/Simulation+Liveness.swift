import AsyncStore

extension Simulation {
  /// Waits until a condition holds, under a fair schedule from here on: everything that can run has its turn.
  ///
  /// A property such as "every request is answered in the end" fails at no particular moment, and an unfair schedule
  /// may keep it from ever coming true. So check it with this function, after the part of the body that is explored.
  /// Time passes when nothing else can happen.
  ///
  /// Any number of calls may wait at once, even one in the condition of another. The schedule is fair until the last of
  /// them has returned.
  ///
  /// ```swift
  /// try await simulate(seed: 1) { simulation in
  ///   let store = simulation.store(Counter(), env: service)
  ///   store.receive(.concatenate(.sleep(.seconds(60)), .set(\.count, to: 1)))
  ///   try await simulation.eventually { store.count == 1 }
  ///   // simulation.clock.now.offset == .seconds(60)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: the maximum virtual time that may pass, at least zero, otherwise traps.
  ///   - rounds: the maximum number of rounds without time passing, at least 1, otherwise traps. In a round, every
  ///     runnable task runs at least one job. One `await` may take several jobs: each `Task.yield()` takes up to two
  ///     rounds.
  ///   - condition: the condition, evaluated after each round. It must change nothing.
  /// - Throws: ``SimulationFailure`` with the code `liveness`, which says whether nothing could run any more, or
  ///   everything had its turn without success; the errors of the condition; `CancellationError` if the task is
  ///   cancelled, or if the simulation ends meanwhile.
  ///
  /// **Cancellation:** a call that is cancelled before it begins throws without evaluating its condition; a waiting
  /// call throws at once. A condition that is being evaluated is not interrupted: the call throws when the condition
  /// returns, whatever it returns. From then on, the schedule is no longer fair for the sake of this call.
  public func eventually(
    within duration: Duration = .seconds(86_400), rounds: Int = 10_000,
    _ condition: @Sendable () async throws -> Bool
  ) async throws {
    trap(unless: duration >= .zero, "Time can't run backwards, and the duration is \(duration).")
    trap(unless: rounds > 0, "A condition can't come true within \(rounds) rounds; allow at least one.")
    switch try await waitUntil(condition, within: duration, rounds: rounds) {
    case .askAgain: return
    case .outOfRounds:
      let times = rounds == 1 ? "1 time" : "\(rounds) times"
      throw failure(.liveness, "Everything had its turn \(times), and it still does not hold.")
    case .outOfTime:
      throw failure(.liveness, "It does not hold, and nothing can happen any more within \(duration).")
    case .ended: try await scheduler.endWait()
    }
  }

  /// Waits until a condition holds, and then returns `askAgain`, or until an answer says that it never will.
  private func waitUntil(
    _ condition: @Sendable () async throws -> Bool, within duration: Duration, rounds: Int
  ) async throws -> LivenessCalls.Answer {
    if Task.isCancelled { return .ended }
    let call = scheduler.beginLivenessCall(within: duration, rounds: rounds)
    defer { scheduler.finishLivenessCall(call) }
    var answer = LivenessCalls.Answer.askAgain
    while answer == .askAgain {
      let holds = try await condition()
      if Task.isCancelled { return .ended }
      if holds { break }
      answer = await scheduler.waitForTurn(call)
      // Something may have cancelled the task after the answer.
      if Task.isCancelled { return .ended }
    }
    return answer
  }
}
