#if Services
  import AsyncStore
  import Logging
  import Synchronization

  /// The time limits of a shutdown, shared by several stores.
  struct ShutdownLimits: Sendable {
    let drain: Duration
    let cleanup: Duration
    /// Starts to measure time.
    let startWatch: @Sendable () -> @Sendable () -> Duration

    init<C: Clock>(drain: Duration, cleanup: Duration, clock: C) where C.Duration == Duration {
      self.drain = max(drain, .zero)
      self.cleanup = max(cleanup, .zero)
      startWatch = {
        let start = clock.now
        return { start.duration(to: clock.now) }
      }
    }
  }

  /// One shutdown of several stores, one after the other.
  final class Stopping: Sendable {
    /// - Parameters:
    ///   - cleanup: returns the limit of the cleanup, when the draining has ended.
    ///   - willEnd: called when all waiting is over.
    typealias ShutDown =
      @Sendable (
        AnyAsyncStore, _ drain: Duration, _ cleanup: @escaping @Sendable () -> Duration,
        _ willEnd: @escaping @Sendable () -> Void
      ) async -> (cancelled: InFlight, error: (any Error)?)

    private struct State {
      /// Measures the time since the shutdown began.
      var watch: (@Sendable () -> Duration)?
      /// The time that the ends of stores have taken, above all their last saves.
      ///
      /// This time counts neither as draining nor as cleanup, because a slow disk must not take that time from later
      /// stores.
      var ending: Duration = .zero
      /// The time at which the current store began to end.
      var end: Duration?
      /// The time at which the draining ended, from which the time for cleanups counts.
      var drained: Duration?
      var current: AnyAsyncStore?
      /// The stores after the current one.
      var following: ArraySlice<StoreMember> = []
      /// The shutdown that has ended the current store's draining.
      var hurried: Task<(cancelled: InFlight, error: (any Error)?), Never>?
    }

    private let limits: ShutdownLimits
    private let logger: Logger
    private let shutDown: ShutDown
    private let state = Mutex(State())

    /// - Parameter shutDown: shuts one store down; tests pass one of their own.
    init(limits: ShutdownLimits, keepingSources: Bool = false, logger: Logger, shutDown: ShutDown? = nil) {
      self.limits = limits
      self.logger = logger
      self.shutDown =
        shutDown
        ?? { await $0.shutdownResult(drain: $1, cleanup: $2, keepingSources: keepingSources, willEnd: $3) }
    }

    /// The time since the shutdown began, without the ends of stores.
    private var elapsed: Duration {
      let (watch, ending, end) = state.withLock { ($0.watch, $0.ending, $0.end) }
      guard let watch else { return .zero }
      return (end ?? watch()) - ending
    }

    func stop(_ members: [StoreMember]) async -> [StoreShutdown] {
      let watch = limits.startWatch()
      state.withLock { $0.watch = watch }
      var reports: [StoreShutdown] = []
      for (index, member) in members.enumerated() {
        let now = elapsed
        let drain = state.withLock { state in
          (state.current, state.following, state.hurried) = (member.store, members[(index + 1)...], nil)
          state.end = nil
          return state.drained == nil ? max(.zero, limits.drain - now) : .zero
        }
        reports.append(await stop(member, drain: drain))
        let end = watch()
        state.withLock { state in
          if let begun = state.end.take() { state.ending += end - begun }
        }
      }
      state.withLock { $0.current = nil }
      return reports
    }

    /// Cancels the effects in flight, with their cleanup, without waiting for the end of the draining.
    func endDraining() {
      let now = elapsed
      state.withLock { state in
        guard state.drained == nil else { return }
        state.drained = min(now, limits.drain)
        guard let current = state.current else { return }
        // Joins the shutdown that is in progress or about to begin.
        state.hurried = Task { await shutDown(current, .zero, cleanup) { self.willEnd(current) } }
      }
    }

    /// Returns the time for the cleanup of the current store, whose draining has ended.
    private func cleanup() -> Duration {
      let now = elapsed
      let (following, left) = state.withLock { state in
        if state.drained == nil, now >= limits.drain { state.drained = limits.drain }
        return (state.following, limits.cleanup - (state.drained.map { now - $0 } ?? .zero))
      }
      // An equal part for each, because a cleanup that never ends must not take the time of the others.
      return max(.zero, left) / (1 + following.count { $0.store.inFlight.isBusy })
    }

    /// Stops the watch while the current store ends.
    ///
    /// Does nothing for an earlier store, whose hurried shutdown may still be running.
    private func willEnd(_ store: AnyAsyncStore) {
      guard let now = state.withLock(\.watch)?() else { return }
      state.withLock { if $0.current === store, $0.end == nil { $0.end = now } }
    }

    private func stop(_ member: StoreMember, drain: Duration) async -> StoreShutdown {
      var logger = logger
      logger[metadataKey: LogKey.store] = "\(member.name)"
      logger.info("Draining", metadata: [LogKey.inFlight: "\(member.store.inFlightCount)"])
      let (cancelled, failure) = await end(member.store, drain)
      guard let failure else {
        // Timers, streams and bindings that were kept are always cancelled in the end.
        if !cancelled.isBusy {
          logger.info("Shut down")
        } else {
          logger.warning("Shut down, with effects cancelled", metadata: [LogKey.effects: cancelled.metadata])
        }
        return StoreShutdown(store: member.name, cancelled: cancelled, error: nil)
      }
      guard let error = failure as? AsyncStoreError else {
        preconditionFailure("a shutdown whose task nobody cancels threw \(failure)")
      }
      logger.error(
        "Shut down, with effects that had not ended",
        metadata: [LogKey.effects: error.inFlight.metadata, LogKey.cancelled: cancelled.metadata])
      return StoreShutdown(store: member.name, cancelled: cancelled, error: error)
    }

    /// Shuts one store down.
    private func end(_ store: AnyAsyncStore, _ drain: Duration) async -> (cancelled: InFlight, error: (any Error)?) {
      let result = await shutDown(store, drain, cleanup) { self.willEnd(store) }
      // The shutdown that ended the draining may have come first, and then it alone knows what became of the effects.
      guard result.cancelled.isEmpty, result.error == nil, let hurried = state.withLock({ $0.hurried }) else {
        return result
      }
      return await hurried.value
    }
  }

  extension InFlight {
    /// True if something in flight, other than a timer, stream or binding, may take time to clean up.
    fileprivate var isBusy: Bool {
      let parents = Set(compactMap(\.parent))
      return contains { !parents.contains($0.id) && !$0.kind.isSource }
    }
  }

  extension EffectKind {
    fileprivate var isSource: Bool { [.timer, .stream, .binding].contains(self) }
  }

  extension InFlight {
    /// The first effects alone, because a line of a log has to be readable, and backends cut long lines.
    fileprivate var metadata: Logger.MetadataValue {
      let listed = prefix(Self.mostLogged).map { Logger.MetadataValue.string($0.description) }
      return .array(count > Self.mostLogged ? listed + ["… and \(count - Self.mostLogged) more"] : listed)
    }

    private static var mostLogged: Int { 50 }
  }
#endif
