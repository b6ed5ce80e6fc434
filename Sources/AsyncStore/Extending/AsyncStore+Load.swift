/// Counts of a store's work at one moment.
package struct StoreLoad: Sendable {
  package let phase: StorePhase
  /// The number of received effects that have not settled, or of cleanups after cancelled ones, whichever is larger.
  ///
  /// Bindings don't count, nor do timers and streams once they have started, nor the effects that any of these begin.
  package let unsettledCount: Int
  /// The time since the oldest of those was received, on the store's clock.
  package let oldestAge: Duration?
  /// For each requested prefix, the number of identifiers in use under it.
  package let counts: [Int]
}

extension AnyAsyncStore {
  /// The identifiers of the bindings that the store has last reported as not settling, as text; empty if there was no
  /// report.
  package var unsettledBindings: String { runtime.lock { $0.lastReportedBindings } }

  /// Counts the identifiers in use under a prefix from now on, for ``load(under:)``.
  ///
  /// From then on, each identifier is compared with the prefix when it comes into use or goes out of use.
  package func beginCounting(under prefix: EffectID) {
    runtime.lock { $0.machine.registry.beginCounting(under: prefix) }
  }

  /// Returns the store's current work.
  ///
  /// - Parameter prefixes: prefixes that are counted.
  /// - Complexity: linear in `prefixes`; on average independent of the number of effects in flight.
  package func load(under prefixes: [EffectID] = []) -> StoreLoad {
    let now = runtime.time.now()
    return runtime.lock { core in
      StoreLoad(
        phase: core.phase,
        unsettledCount: core.machine.counts.unsettled,
        oldestAge: core.machine.findOldestUnsettled().map { .nanoseconds(max(0, $0.distance(to: now))) },
        counts: prefixes.map { core.machine.registry.count(under: $0) })
    }
  }
}
