extension AnyAsyncStore {
  /// The clock that the store was given, if it belongs to a simulation.
  package var finiteClock: (any FiniteClock)? { runtime.time.finiteClock }

  /// Returns the times until the store's first distinct deadlines, in order; none if this thread has the store locked.
  ///
  /// - Parameters:
  ///   - maximumCount: the number of deadlines, more than 0.
  ///   - range: the times from now on, by the store's clock.
  /// - Complexity: linear in the number of deadlines.
  package func timesToDeadlines(first maximumCount: Int, in range: ClosedRange<Duration>) -> [Duration] {
    let now = runtime.time.now()
    let lowest = now.advanced(by: range.lowerBound.nanosecondsRoundedUp)
    let highest = now.advanced(by: range.upperBound.nanosecondsRoundedDown)
    guard lowest <= highest else { return [] }
    let deadlines = runtime.lockUnlessLockedHere { $0.machine.deadlines.first(maximumCount, in: lowest...highest) }
    return deadlines?.map { .nanoseconds(now.distance(to: $0)) } ?? []
  }
}
