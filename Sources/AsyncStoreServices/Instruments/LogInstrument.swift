#if Services
  import AsyncStore
  import Logging

  /// An instrument that logs a store's events, at a level that depends on the kind of the event.
  ///
  /// | level | events |
  /// |---|---|
  /// | `error` | bindings that don't settle; joins in a cycle |
  /// | `warning` | an effect has failed, and no `recover` takes the error; an effect was dropped |
  /// | `notice` | an attempt has failed and another one follows; a time limit has passed |
  /// | `info` | an effect was received while the store was not active |
  /// | `debug` | begun, settled, lifted, cancelled, recovered, attempted, attempts ended; errors of cancelled effects |
  /// | `trace` | committed, waiting, waited, ticked |
  ///
  /// The metadata has `store`, `effect` (its number), `kind` and, where they exist, `detail`, `id`, `outer-ids`,
  /// `label`, `attempt`, `outcome`, `error`, `delay`, `origin-store` and `origin-effect`. Lines that operations log
  /// themselves have the same metadata if the program uses the metadata provider `asyncStore`. Events below the level
  /// that the logger has when the instrument is created cost the store a test of one bit each.
  ///
  /// ```swift
  /// import InMemoryLogging
  /// import Logging
  ///
  /// let log = InMemoryLogHandler()
  /// let logger = Logger(label: "orders") { _ in log }
  /// let logged = CounterStore(state: Counter(), env: service, instrument: LogInstrument(logger))
  /// await logged.run(.task { throw UserService.Unavailable() })
  /// // log.entries.map(\.level) == [.warning]
  /// ```
  public struct LogInstrument: StoreInstrument {
    private let logger: Logger
    /// The events that the logger's level lets through.
    public let events: EventKinds
    /// Operations, if the lines that they log get metadata.
    public let interests: InstrumentInterests

    /// Creates an instrument, for any number of stores.
    ///
    /// - Parameters:
    ///   - logger: the logger, whose level determines what is logged.
    ///   - isInOperations: true if lines that operations log themselves get metadata too, through the metadata provider
    ///     `asyncStore`, which costs each operation a task-local value; by default true.
    public init(_ logger: Logger, inOperations isInOperations: Bool = true) {
      self.logger = logger
      events = .logged(from: logger.logLevel)
      interests = isInOperations ? .operations : []
    }

    /// Logs an event.
    public func record(_ event: InstrumentEvent) {
      let level = event.logLevel
      guard level >= logger.logLevel else { return }
      var metadata = event.effect?.metadata(of: event.store) ?? [LogKey.store: .string(event.store.description)]
      event.kind.describe(in: &metadata)
      logger.log(level: level, "\(event.kind.words)", metadata: metadata)
    }

    /// Runs an operation with its metadata.
    public nonisolated(nonsending) func wrapOperation(
      _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      await CurrentOperation.$value.withValue(CurrentOperation(record: operation, store: store)) { _ = await body() }
    }
  }

  extension EventKinds {
    /// The events that are logged at this level or a higher one.
    fileprivate static func logged(from level: Logger.Level) -> EventKinds {
      var kinds: EventKinds = [.unsettledBindings, .joinCycle]
      if level <= .warning { kinds.formUnion([.failed, .dropped]) }
      if level <= .notice { kinds.formUnion([.backedOff, .timedOut]) }
      if level <= .info { kinds.formUnion(.ignored) }
      if level <= .debug {
        kinds.formUnion([.begun, .settled, .lifted, .cancelled, .recovered, .attempted, .attemptsEnded])
      }
      return level <= .trace ? .all : kinds
    }
  }

  extension InstrumentEvent {
    fileprivate var logLevel: Logger.Level {
      switch kind {
      case .unsettledBindings, .joinCycle: .error
      // A cancelled operation that throws has not failed.
      case .failed where effect?.isCancelled == true: .debug
      case .failed, .dropped: .warning
      case .backedOff, .timedOut: .notice
      case .ignored: .info
      case .begun, .settled, .lifted, .cancelled, .recovered, .attempted, .attemptsEnded: .debug
      case .committed, .waiting, .waited, .ticked: .trace
      }
    }
  }

  extension InstrumentEvent.Kind {
    fileprivate var words: String {
      switch self {
      case .begun: "Begun"
      case .settled: "Settled"
      case .committed: "Committed"
      case .lifted: "Lifted"
      case .cancelled: "Cancelled"
      case .failed: "Failed"
      case .recovered: "Recovered"
      case .attempted: "Attempted"
      case .backedOff: "Backed off"
      case .attemptsEnded: "Attempts ended"
      case .waiting: "Waiting"
      case .waited: "Waited"
      case .timedOut: "Timed out"
      case .ticked: "Ticked"
      case .dropped: "Dropped"
      case .ignored: "Ignored"
      case .unsettledBindings: "Bindings that don't settle"
      case .joinCycle: "Joins in a cycle"
      }
    }

    fileprivate func describe(in metadata: inout Logger.Metadata) {
      switch self {
      case .settled(let outcome), .attemptsEnded(let outcome), .waited(_, let outcome):
        metadata[LogKey.outcome] = .string("\(outcome.name)")
      case .failed(let error), .recovered(let error): metadata[LogKey.error] = .string("\(error)")
      case .attempted(let attempt): metadata[LogKey.attempt] = .stringConvertible(attempt.number)
      case .backedOff(let attempt, let error, let delay):
        metadata[LogKey.attempt] = .stringConvertible(attempt)
        metadata[LogKey.error] = .string("\(error)")
        metadata[LogKey.delay] = .string("\(delay)")
      case .lifted(let origin):
        metadata[LogKey.originStore] = .string(origin.store.description)
        metadata[LogKey.originEffect] = .stringConvertible(origin.effect)
      case .unsettledBindings(let identifiers), .joinCycle(let identifiers):
        metadata[LogKey.effects] = .array(identifiers.map { .string($0.description) })
      default: break
      }
    }
  }
#endif
