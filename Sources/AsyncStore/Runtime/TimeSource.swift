/// A store's time without the type of its clock: moments counted from an origin of its own.
///
/// One object instead of a closure for each requirement.
@usableFromInline
package protocol TimeSource: AnyObject, Sendable {
  func now() -> Moment

  /// A closure that calls ``now()``. Created where the class is known, it takes no memory of its own.
  var reading: @Sendable () -> Moment { get }

  func sleep(until moment: Moment) async throws

  /// True once no more time passes, so that sleepers were woken early.
  var hasEnded: Bool { get }

  /// The clock that the store was given, if it belongs to a simulation.
  var finiteClock: (any FiniteClock)? { get }

  /// Sleeps until a moment, calls `ring`, and repeats this with the returned moment until `ring` returns `nil`.
  ///
  /// The loop is here and not around ``sleep(until:)``, because each level of asynchronous calls costs time at each
  /// return.
  func sleep(until moment: Moment, _ ring: @Sendable () -> Moment?) async throws
}

extension TimeSource {
  @usableFromInline
  package var finiteClock: (any FiniteClock)? { nil }

  /// Traps if a sleep failed that nobody had cancelled, because the store would otherwise stop without a message.
  func trapIfNeeded(_ isNeeded: Bool, _ error: any Error) {
    trap(
      unless: !isNeeded || hasEnded,
      "The store's clock threw from a sleep that was not cancelled: \(error). A clock may throw only on cancellation.")
  }
}

/// A clock whose time ends with its owner, a simulation.
@usableFromInline
package protocol FiniteClock: Sendable {
  var hasEnded: Bool { get }

  /// The same clock for a store, whose alarm is not a task of the user.
  var forStores: Self { get }
}

extension Runtime {
  /// Sleeps on the store's clock until this moment.
  ///
  /// Throws if the task is cancelled or the simulation is over. Traps if the clock throws for another reason.
  func sleep(until moment: Moment) async throws {
    do {
      try await time.sleep(until: moment)
    } catch {
      time.trapIfNeeded(!Task.isCancelled && !isSimulationOver, error)
      throw error
    }
  }
}
