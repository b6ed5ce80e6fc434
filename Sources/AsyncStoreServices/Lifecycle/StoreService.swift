#if Services
  import AsyncStore
  import Logging
  import ServiceLifecycle

  /// Stores as one service of swift-service-lifecycle: they run until the group shuts down, and then end in order.
  ///
  /// On a graceful shutdown the stores are shut down one after the other, in the order given: each drains, and what
  /// has not ended by then is cancelled and cleans up. The time for it is shared: all stores have to have drained
  /// within `drain`, and what is cancelled has `cleanup` more, of which each store that has something in flight can
  /// count on an equal part. So the process knows the latest time at which all waiting ends. What a store does after
  /// that, above all a last save on a slow disk, comes on top, and takes nothing from the stores behind it.
  ///
  /// ```swift
  /// let service = StoreService(["orders": store], counting: ["order"])
  /// let (payments, payment) = AsyncStream.makeStream(of: Int.self)
  /// let charge = CounterStore.Effect.task {
  ///   for await amount in payments { return .set(\.count, to: amount) }
  ///   return .none
  /// }
  /// store.receive(charge.id(EffectID("order").appending(7)))
  /// // service.health.stores[0].inFlightByPrefix == ["order": 1]
  /// payment.yield(3)
  /// try await service.shutdown()
  /// // store.count == 3
  /// // service.health.isReady == false
  /// ```
  ///
  /// List stores that lift effects into others before those, and stores that others are bound to before those. In the
  /// group list the service before the servers whose requests the stores serve: a group shuts its last service down
  /// first, so that requests end while the stores still run.
  ///
  /// **Cancellation** of ``run()`` and ``shutdown(file:line:)``, for example because another service of the group has
  /// failed, ends the draining: what is in flight is cancelled, store by store, and has `cleanup` to clean up. So no
  /// compensation is skipped. To stop without cleanup, deactivate the stores.
  public struct StoreService: Service, CustomStringConvertible {
    let members: [StoreMember]
    private let limits: ShutdownLimits
    private let keepsSources: Bool
    private let logger: Logger

    /// Creates a service of some stores.
    ///
    /// - Parameters:
    ///   - stores: the stores by their names, in the order in which they are shut down.
    ///   - drain: the longest time for all stores together to end what they have in flight; zero and below for none; by
    ///     default 20 seconds.
    ///   - cleanup: the longest time after that for what was cancelled to clean up. The sum of both has to be less than
    ///     the supervisor gives the process, which is usually 30 seconds; by default 5 seconds.
    ///   - keepingSources: true if the timers, streams and bindings of a store go on while it drains, as long as
    ///     effects that it has received do. Neither they nor the effects that they begin are waited for: when those
    ///     that were received have ended, they are cancelled, with their cleanup. By default false: they stop when the
    ///     draining begins, and the effects that they have begun drain like all others.
    ///   - prefixes: the prefixes of identifiers that ``health`` counts. Counting costs a comparison for each of them
    ///     whenever an identifier comes into use or is freed; by default none.
    ///   - clock: the clock of the limits, normally that of the stores; by default the continuous clock.
    ///   - logger: the logger for the shutdown; by default one with the label `asyncstore`.
    public init(
      _ stores: KeyValuePairs<String, AnyAsyncStore>, drain: Duration = .seconds(20), cleanup: Duration = .seconds(5),
      keepingSources: Bool = false, counting prefixes: [EffectID] = [],
      clock: some Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "asyncstore")
    ) {
      self.init(
        stores.map { (name: $0.key, store: $0.value) }, drain: drain, cleanup: cleanup, keepingSources: keepingSources,
        counting: prefixes, clock: clock, logger: logger)
    }

    /// Creates a service of a list of stores; the other parameters are those of the initializer with a literal.
    ///
    /// A service holds its stores and nothing else. So a program whose stores come and go makes one of those that there
    /// are whenever it shuts them down, or looks at their health.
    ///
    /// - Parameter stores: the stores with their names, in the order in which they are shut down.
    public init(
      _ stores: [(name: String, store: AnyAsyncStore)], drain: Duration = .seconds(20),
      cleanup: Duration = .seconds(5), keepingSources: Bool = false, counting prefixes: [EffectID] = [],
      clock: some Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "asyncstore")
    ) {
      members = stores.map { StoreMember(name: $0.name, store: $0.store, prefixes: prefixes) }
      limits = ShutdownLimits(drain: drain, cleanup: cleanup, clock: clock)
      keepsSources = keepingSources
      self.logger = logger
      for member in members { for prefix in prefixes { member.store.beginCounting(under: prefix) } }
    }

    /// The names of the stores.
    public var description: String { "stores \(members.map(\.name).joined(separator: ", "))" }

    /// Waits for the graceful shutdown of the group, and then shuts the stores down.
    ///
    /// **Cancellation** at any time ends the draining; the call still returns only when all stores are inactive. It
    /// never throws `CancellationError`.
    ///
    /// - Throws: ``StoreServiceError`` with the code `notEnded`, naming what had not ended in time.
    public func run() async throws {
      // It throws only if this task is cancelled, which the shutdown sees for itself.
      try? await gracefulShutdown()
      try await shutdown()
    }

    /// Shuts the stores down, one after the other.
    ///
    /// For programs without a service group; ``run()`` does the same when its group shuts down.
    ///
    /// - Returns: a report on each store, in order.
    /// - Throws: ``StoreServiceError`` with the code `notEnded`, naming what had not ended in time. All stores are
    ///   inactive in any case, unless one was activated again meanwhile.
    @discardableResult
    public func shutdown(file: StaticString = #fileID, line: UInt = #line) async throws -> [StoreShutdown] {
      let stopping = Stopping(limits: limits, keepingSources: keepsSources, logger: logger)
      // A task of its own, because cancelling a store's shutdown would skip its cleanups.
      let work = Task { [members] in await stopping.stop(members) }
      let reports = await withTaskCancellationHandler {
        await work.value
      } onCancel: {
        stopping.endDraining()
      }
      let failed = reports.filter { $0.error != nil }
      guard failed.isEmpty else {
        let words = failed.map(\.description).joined(separator: "\n")
        throw StoreServiceError(
          .notEnded, "Not everything ended in time.\n\(words)", failedShutdowns: failed,
          at: CallSite(file: file, line: line))
      }
      return reports
    }
  }

  /// One store of a service.
  struct StoreMember: Sendable {
    let name: String
    let store: AnyAsyncStore
    let prefixes: [EffectID]
  }
#endif
