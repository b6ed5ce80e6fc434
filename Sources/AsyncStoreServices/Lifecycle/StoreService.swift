#if Services
  import AsyncStore
  import Logging
  import ServiceLifecycle

  /// Stores as one service of swift-service-lifecycle: they run until the group shuts down, and then end in order.
  ///
  /// On a graceful shutdown, the stores are shut down one after the other, in the order given. Each store drains;
  /// effects that have not ended by then are cancelled and clean up. The stores share the time: all of them have to
  /// drain within `drain`, and cancelled effects have `cleanup` more, of which each store with something in flight is
  /// guaranteed an equal part. So the process knows the latest time at which all waiting ends. Work that a store does
  /// after that, above all a last save on a slow disk, comes on top, and takes nothing from later stores.
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
  /// List stores that lift effects into others before those others, and stores that others are bound to before those
  /// others. In the group, list the service before the servers whose requests the stores serve: a group shuts its last
  /// service down first, so that requests end while the stores still run.
  ///
  /// **Cancellation** of ``run()`` and ``shutdown(file:line:)``, for example because another service of the group has
  /// failed, ends the draining: effects in flight are cancelled, store by store, and have `cleanup` to clean up. So no
  /// compensation is skipped. To stop without cleanup, deactivate the stores.
  public struct StoreService: Service, CustomStringConvertible {
    let members: [StoreMember]
    private let limits: ShutdownLimits
    private let keepsSources: Bool
    private let logger: Logger

    /// Creates a service of some stores.
    ///
    /// - Parameters:
    ///   - stores: the stores by name, in the order in which they are shut down.
    ///   - drain: the maximum time for all stores together to end their effects in flight; zero or less for none; by
    ///     default 20 seconds.
    ///   - cleanup: the maximum time after that for cancelled effects to clean up; by default 5 seconds. The sum of
    ///     both has to be less than the time the supervisor gives the process, usually 30 seconds.
    ///   - keepingSources: true if a draining store's timers, streams and bindings continue while effects that it has
    ///     received do. The service does not wait for them, or for the effects that they begin: when the received
    ///     effects have ended, they are cancelled, with their cleanup. By default false: they stop when the draining
    ///     begins, and effects that they have begun drain like all others.
    ///   - prefixes: the prefixes of identifiers that ``health`` counts. Counting costs a comparison for each prefix
    ///     whenever an identifier comes into use or is freed; by default none.
    ///   - clock: the clock for the limits, normally that of the stores; by default the continuous clock.
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

    /// Creates a service of a list of stores.
    ///
    /// A service holds its stores and nothing else. So a program whose stores come and go can create a service of its
    /// current stores whenever it shuts them down or looks at their health.
    ///
    /// - Parameters:
    ///   - stores: the stores with their names, in the order in which they are shut down.
    ///   - drain: the maximum time to end the effects in flight, as in the initializer with a literal.
    ///   - cleanup: the maximum time after that for cancelled effects to clean up.
    ///   - keepingSources: true if sources of a draining store continue while received effects do.
    ///   - prefixes: the prefixes of identifiers that ``health`` counts.
    ///   - clock: the clock for the limits.
    ///   - logger: the logger for the shutdown.
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
    /// - Throws: ``StoreServiceError`` with the code `notEnded`, naming the effects that had not ended in time.
    public func run() async throws {
      // It throws only if this task is cancelled, which the shutdown detects by itself.
      try? await gracefulShutdown()
      try await shutdown()
    }

    /// Shuts the stores down, one after the other.
    ///
    /// For programs without a service group; ``run()`` does the same when its group shuts down.
    ///
    /// - Returns: a report on each store, in order.
    /// - Throws: ``StoreServiceError`` with the code `notEnded`, naming the effects that had not ended in time. All
    ///   stores are inactive in any case, unless one was activated again meanwhile.
    @discardableResult
    public func shutdown(file: StaticString = #fileID, line: UInt = #line) async throws -> [StoreShutdown] {
      let stopping = Stopping(limits: limits, keepingSources: keepsSources, logger: logger)
      // In a task of its own, because cancelling a store's shutdown would skip its cleanups.
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
