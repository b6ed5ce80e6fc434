#if Services
  import AsyncStore
  import Synchronization
  import Tracing

  /// An instrument that makes spans of operations, by swift-distributed-tracing.
  ///
  /// | span | parent | lasts |
  /// |---|---|---|
  /// | operation | the span in which the effect was received; for an attempt, its step | as the operation runs |
  /// | step: all of a retry | the span in which the effect was received | from its first to its last operation |
  ///
  /// A span has the name of its effect: its label, or else its kind. Its attributes are `asyncstore.store`,
  /// `asyncstore.effect`, `asyncstore.kind`, and, where they exist, `asyncstore.id`, `asyncstore.outer-ids`,
  /// `asyncstore.label`, `asyncstore.attempt` and `asyncstore.outcome`. An error that the operation throws is recorded,
  /// and is its status, also if another attempt follows or a `recover` takes it. Inside an operation its span is the
  /// current one, so that the spans of clients and databases are below it.
  ///
  /// No span lasts over a long wait, because a span is exported when it ends: if the next attempt is further away than
  /// `longestWait`, the step ends, and the next attempts have a step of their own with a link to it.
  ///
  /// ```swift
  /// import InMemoryTracing
  /// import Tracing
  ///
  /// let tracer = InMemoryTracer()
  /// let traced = CounterStore(state: Counter(), env: service, instrument: TracingInstrument(tracer: tracer))
  /// await tracer.withSpan("request") { _ in
  ///   _ = await traced.run(.task { .set(\.count, to: 1) }.label("charge"))
  /// }
  /// let (charge, request) = (tracer.finishedSpans[0], tracer.finishedSpans[1])
  /// // charge.operationName == "charge"
  /// // charge.parentSpanID == request.spanID
  /// ```
  public final class TracingInstrument: StoreInstrument {
    private let tracer: (any Tracer)?
    private let longestWait: Duration
    private let steps = Mutex(StepSpans())

    /// Creates an instrument, for any number of stores.
    ///
    /// - Parameters:
    ///   - tracer: the tracer; by default the one that the program has bootstrapped when a span begins.
    ///   - longestWait: the longest delay between attempts that are one step.
    public init(tracer: (any Tracer)? = nil, longestWait: Duration = .seconds(60)) {
      self.tracer = tracer
      self.longestWait = longestWait
    }

    deinit {
      for step in steps.withLock({ $0.removeAll() }) { step.finish() }
    }

    /// The ends of steps.
    public var events: EventKinds { [.backedOff, .attemptsEnded] }

    /// Operations, which are run in spans.
    public var interests: InstrumentInterests { .operations }

    /// Records where steps end.
    public func record(_ event: InstrumentEvent) {
      steps.withLock { $0.note(event, longestWait: longestWait) }?.finish()
    }

    /// Runs an operation in a span.
    public nonisolated(nonsending) func wrapOperation(
      _ operation: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome
    ) async {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let caller = ServiceContext.current ?? .topLevel
      guard let attempt = operation.attempt else {
        return await run(start(operation, store, tracer, caller, isStep: false), body)
      }
      let key = StepSpans.Key(store: store.number, retry: attempt.retry)
      // A step is started under the lock, because only one of several operations that begin at once may start it.
      let step = steps.withLock { steps in
        steps.operationBegins(key) { start(operation, store, tracer, caller, isStep: true) }
      }
      await run(start(operation, store, tracer, step, isStep: false), body)
      steps.withLock { $0.operationEnded(key) }
    }

    private nonisolated(nonsending) func run(_ span: any Span, _ body: () async -> EffectOutcome) async {
      await ServiceContext.withValue(span.context) {
        let outcome = await body()
        guard span.isRecording else { return }
        if case .failed(let error) = outcome {
          span.attributes["asyncstore.outcome"] = "\(outcome.name)"
          span.recordError(error)
          span.setStatus(SpanStatus(code: .error, message: "\(error)"))
        } else {
          span.attributes["asyncstore.outcome"] = outcome.isFinished ? "finished" : "cancelled"
        }
      }
      span.end()
    }

    private func start(
      _ operation: EffectRecord, _ store: StoreIdentity, _ tracer: any Tracer, _ context: ServiceContext, isStep: Bool
    ) -> any Span {
      let span = tracer.startAnySpan(operation.label ?? operation.effect.kind.rawValue, context: context)
      guard span.isRecording else { return span }
      let own = SpanAttributes(operation.attributes(of: store, isStep: isStep))
      span.updateAttributes { if $0.isEmpty { $0 = own } else { $0.merge(own) } }
      return span
    }
  }

  extension EffectRecord {
    /// The attributes of a span, made all at once, because each attribute that is set on a span may copy those before
    /// it.
    fileprivate func attributes(of store: StoreIdentity, isStep: Bool) -> [String: SpanAttribute] {
      // Room for the outcome too, which follows.
      var attributes = [String: SpanAttribute](minimumCapacity: 7)
      attributes["asyncstore.store"] = .string(store.description)
      attributes["asyncstore.kind"] = .string(isStep ? EffectKind.retry.rawValue : effect.kind.rawValue)
      let number = isStep ? attempt?.effect ?? id : id
      attributes["asyncstore.effect"] = .int64(Int64(clamping: number))
      if let identifier { attributes["asyncstore.id"] = .string(identifier.description) }
      if !outerIdentifiers.isEmpty {
        attributes["asyncstore.outer-ids"] = .stringArray(outerIdentifiers.map(\.description))
      }
      if let label { attributes["asyncstore.label"] = .string(label) }
      if !isStep, let attempt { attributes["asyncstore.attempt"] = .int64(Int64(attempt.number)) }
      return attributes
    }
  }
#endif
