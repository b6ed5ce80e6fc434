#if Services
  import AsyncStore
  import Logging

  extension EffectRecord {
    /// The metadata of an effect in logs.
    func metadata(of store: StoreIdentity) -> Logger.Metadata {
      var metadata: Logger.Metadata = [
        LogKey.store: .string(store.description), LogKey.effect: .stringConvertible(id),
        LogKey.kind: .string(effect.kind.rawValue),
      ]
      if !effect.detail.isEmpty { metadata[LogKey.detail] = .string(effect.detail) }
      if let identifier { metadata[LogKey.identifier] = .string(identifier.description) }
      if !outerIdentifiers.isEmpty {
        metadata[LogKey.outerIdentifiers] = .array(outerIdentifiers.map { .string($0.description) })
      }
      if let label { metadata[LogKey.label] = .string(label) }
      if let attempt { metadata[LogKey.attempt] = .stringConvertible(attempt.number) }
      return metadata
    }
  }

  /// The operation that a task carries out.
  struct CurrentOperation: Sendable {
    @TaskLocal static var value: CurrentOperation?

    let record: EffectRecord
    let store: StoreIdentity
  }

  extension Logger.MetadataProvider {
    /// The store, the effect, its identifier, its label and its attempt, for everything logged inside an operation of a
    /// store with a ``LogInstrument``.
    ///
    /// ```swift
    /// import InMemoryLogging
    /// import Logging
    ///
    /// let log = InMemoryLogHandler()
    /// let logger = Logger(label: "orders") { _, _ in
    ///   var handler = log
    ///   handler.metadataProvider = .asyncStore
    ///   return handler
    /// }
    /// let logged = CounterStore(state: Counter(), env: service, instrument: LogInstrument(logger))
    /// let charge = CounterStore.Effect.task {
    ///   logger.notice("charging")
    ///   return .none
    /// }
    /// await logged.run(charge.id("order"))
    /// // log.entries[0].metadata["id"] == "order"
    /// ```
    ///
    /// Pass the provider to `LoggingSystem.bootstrap`, or to a logger of your own.
    public static var asyncStore: Logger.MetadataProvider {
      Logger.MetadataProvider {
        CurrentOperation.value.map { $0.record.metadata(of: $0.store) } ?? [:]
      }
    }
  }
#endif
