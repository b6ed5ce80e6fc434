#if Services
  import AsyncStore
  import Synchronization
  import Tracing

  /// An instrument that creates spans for operations, with swift-distributed-tracing.
  ///
  /// | span | parent | lasts |
  /// |---|---|---|
  /// | operation | the span in which the effect was received; for an attempt, its step | as the operation runs |
  /// | step: all of a retry | the span in which the effect was received | from its first to its last operation |
  ///
  /// A span has the name of its effect: the label, or else the kind. Its attributes are `asyncstore.store`,
  /// `asyncstore.effect`, `asyncstore.kind` and, where they exist, `asyncstore.id`, `asyncstore.outer-ids` and
  /// `asyncstore.label`. The span of an operation also has `asyncstore.attempt` and `asyncstore.outcome`; its
  /// attributes are set when it ends. An error that the operation throws is recorded and becomes the span's status,
  /// even if another attempt follows or a `recover` takes the error. Inside an operation, the operation's span is the
  /// current one, so that the spans of clients and databases are below it.
  ///
  /// No span lasts over a long wait, because a span is exported when it ends: if the next attempt is further away than
  /// `longestWait`, the step ends, and the next attempts have a step of their own that links to it.
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
    ///   - tracer: the tracer; by default the one that the program has bootstrapped by the time a span begins.
    ///   - longestWait: the maximum delay between attempts in one step; by default 60 seconds.
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
      _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let caller = ServiceContext.current ?? .topLevel
      guard let attempt = operation.attempt else {
        return await run(operation, of: store, in: start(operation, tracer, caller), body)
      }
      let key = StepSpans.Key(store: store.number, retry: attempt.retry)
      let (step, earlier) = steps.withLock { $0.operationBegins(key) }
      let context = step.start(after: earlier) {
        let span = start(operation, tracer, caller)
        if span.isRecording { span.set(operation.attributes(of: store, isStep: true)) }
        return span
      }
      await run(operation, of: store, in: start(operation, tracer, context), body)
      steps.withLock { $0.operationEnded(key) }
    }

    private func start(_ operation: EffectRecord, _ tracer: any Tracer, _ context: ServiceContext) -> any Span {
      tracer.startAnySpan(operation.label ?? operation.effect.kind.rawValue, context: context)
    }

    private nonisolated(nonsending) func run(
      _ operation: EffectRecord, of store: StoreIdentity, in span: any Span, _ body: OperationBody
    ) async {
      let outcome = await ServiceContext.withValue(span.context) { await body() }
      if span.isRecording {
        let error: (any Error)? = if case .failed(let error) = outcome { error } else { nil }
        // All at once, because setting an attribute on a span may copy all earlier ones.
        var attributes = operation.attributes(of: store, isStep: false)
        attributes["asyncstore.outcome"] = outcome.isFinished ? "finished" : error == nil ? "cancelled" : "failed"
        span.set(attributes)
        if let error {
          span.recordError(error)
          span.setStatus(SpanStatus(code: .error, message: "\(error)"))
        }
      }
      span.end()
    }
  }

  extension Span {
    /// Sets attributes in addition to those that the span has.
    fileprivate func set(_ attributes: [String: SpanAttribute]) {
      let new = SpanAttributes(attributes)
      updateAttributes { if $0.isEmpty { $0 = new } else { $0.merge(new) } }
    }
  }

  extension EffectRecord {
    /// The attributes for the span of an operation, or of the step that contains it.
    fileprivate func attributes(of store: StoreIdentity, isStep: Bool) -> [String: SpanAttribute] {
      // With room for the outcome, which is set later.
      var attributes = [String: SpanAttribute](minimumCapacity: 8)
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
