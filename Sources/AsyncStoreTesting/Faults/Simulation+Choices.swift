import AsyncStore

extension Simulation {
  /// Returns whether something happens, as a choice of the schedule.
  ///
  /// Use it for the body's own faults, for example to crash a host here or not. The choice is recorded with the
  /// schedule, so that a replay repeats it, and shrinking removes it where it is not needed; an exhaustive exploration
  /// tries both. The numbers that ``random`` draws belong to the seed and are not shrunk.
  ///
  /// ```swift
  /// let report = try await explore(.exhaustive()) { simulation in
  ///   let service = simulation.happens(withProbability: 0.1) ? "down" : "up"
  ///   #expect(["up", "down"].contains(service))
  /// }
  /// // report.scheduleCount == 2
  /// ```
  ///
  /// - Parameter probability: the probability, from 0, never, to 1, always; anything else traps. Exhaustive
  ///   explorations and replays ignore it.
  /// - Returns: true for a probability of 1. For any other probability, false in a simulation without a seed and under
  ///   a fair schedule.
  public func happens(withProbability probability: Double) -> Bool {
    trap(unless: 0...1 ~= probability, "A probability is from 0 to 1, and this is \(probability).")
    let happens = scheduler.choosesFault(probability)
    if happens, probability < 1 { tell(choice: "happens(withProbability: \(probability)) is true") }
    return happens
  }

  /// Chooses one of several equally likely values, as a choice of the schedule.
  ///
  /// Put the ordinary value first: shrinking moves towards it.
  ///
  /// - Parameter values: at least one, otherwise traps.
  /// - Returns: the first value in a simulation without a seed and under a fair schedule.
  public func choose<Values: RandomAccessCollection>(among values: Values) -> Values.Element {
    trap(unless: !values.isEmpty, "There is nothing to choose among.")
    let offset = scheduler.chooseOutcome(among: values.count)
    if offset > 0 { tell(choice: "chosen: value \(offset + 1) of \(values.count)") }
    return values[values.index(values.startIndex, offsetBy: offset)]
  }
}
