extension Simulation {
  /// Waits until a condition holds, under a fair schedule from here on: everything that can run has its turn.
  ///
  /// A property such as "every request is answered in the end" can't fail at any moment, and an unfair schedule may
  /// keep it from coming true for as long as the schedule lasts. So check it with this function, after the part of the
  /// body that is explored. Time passes where nothing else can happen.
  ///
  /// Any number of calls may wait at once, also one in the condition of another. The schedule is fair until the last of
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
  ///   - duration: the most virtual time that may pass.
  ///   - rounds: the number of times that everything that can run may have its turn without time passing.
  ///   - condition: the condition, asked after each round. It changes nothing.
  /// - Throws: ``SimulationFailure`` with the code `liveness`, which says whether nothing could run any more or
  ///   everything had its turn in vain; what the condition throws; `CancellationError` if the simulation ends meanwhile.
  public func eventually(
    within duration: Duration = .seconds(86_400), rounds: Int = 10_000,
    _ condition: @Sendable () async throws -> Bool
  ) async throws {
    let call = scheduler.beginLivenessCall(within: duration, rounds: rounds)
    defer { scheduler.finishLivenessCall(call) }
    while try await !condition() {
      switch await scheduler.waitForTurn(call) {
      case .askAgain: continue
      case .outOfRounds:
        throw failure(.liveness, "Everything had its turn \(rounds) times, and it still does not hold.")
      case .outOfTime:
        throw failure(.liveness, "It does not hold, and nothing can happen any more within \(duration).")
      case .ended: try await scheduler.endWait()
      }
    }
  }
}
