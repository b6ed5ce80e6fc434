#if Services
  import AsyncStore
  import Logging
  import Synchronization

  /// The limits in time of a shut-down, which several stores share.
  struct ShutdownLimits: Sendable {
    let drain: Duration
    let cleanup: Duration
    /// Begins to measure.
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

  /// One shut-down of several stores, one after the other.
  final class Stopping: Sendable {
    private struct State {
      var current: AnyAsyncStore?
      var endsDraining = false
    }

    private let limits: ShutdownLimits
    private let logger: Logger
    private let state = Mutex(State())

    init(limits: ShutdownLimits, logger: Logger) {
      self.limits = limits
      self.logger = logger
    }

    func stop(_ members: [StoreMember]) async -> [StoreShutdown] {
      let elapsed = limits.startWatch()
      var (reports, drained): ([StoreShutdown], Duration?) = ([], nil)
      for member in members {
        let endsDraining = state.withLock { state in
          state.current = member.store
          return state.endsDraining
        }
        let now = elapsed()
        // Time after the end of the draining counts as time for clean-ups.
        if drained == nil, endsDraining || now >= limits.drain { drained = min(now, limits.drain) }
        let drain = drained == nil ? limits.drain - now : .zero
        let cleanup = max(.zero, limits.cleanup - (drained.map { now - $0 } ?? .zero))
        reports.append(await stop(member, drain: drain, cleanup: cleanup))
      }
      state.withLock { $0.current = nil }
      return reports
    }

    /// Cancels what is in flight, with its clean-up, without waiting for the end of the draining.
    func endDraining() {
      let current = state.withLock { state in
        state.endsDraining = true
        return state.current
      }
      // It joins the shut-down that is under way, which reports the outcome.
      if let current { Task { [limits] in try? await current.shutdown(drain: .zero, cleanup: limits.cleanup) } }
    }

    private func stop(_ member: StoreMember, drain: Duration, cleanup: Duration) async -> StoreShutdown {
      var logger = logger
      logger[metadataKey: LogKey.store] = "\(member.name)"
      logger.info("Draining", metadata: [LogKey.inFlight: "\(member.store.load().unsettledCount)"])
      do {
        let cancelled = try await member.store.shutdown(drain: drain, cleanup: cleanup)
        if cancelled.isEmpty {
          logger.info("Shut down")
        } else {
          logger.warning("Shut down, with effects cancelled", metadata: [LogKey.effects: cancelled.metadata])
        }
        return StoreShutdown(store: member.name, cancelled: cancelled, error: nil)
      } catch let error as AsyncStoreError {
        logger.error("Shut down, with effects that had not ended", metadata: [LogKey.effects: error.inFlight.metadata])
        return StoreShutdown(store: member.name, cancelled: InFlight(), error: error)
      } catch {
        preconditionFailure("a shut-down whose task nobody cancels threw \(error)")
      }
    }
  }

  extension InFlight {
    fileprivate var metadata: Logger.MetadataValue { .array(map { .string($0.description) }) }
  }
#endif
