#if Services
  import AsyncStore
  import AsyncStoreTesting
  import InMemoryTracing
  import Synchronization
  import Testing
  import Tracing

  @testable import AsyncStoreServices

  @Suite("The spans of the steps of a store", .simulated(atEnd: .cancels))
  struct StepSpansTests {
    /// An instrument that keeps the events and the operations of retries.
    final class Recorder: StoreInstrument {
      let recorded = Mutex((events: [InstrumentEvent](), operations: [(EffectRecord, StoreIdentity)]()))

      var events: EventKinds { [.backedOff, .attemptsEnded] }
      var interests: InstrumentInterests { .operations }

      func record(_ event: InstrumentEvent) { recorded.withLock { $0.events.append(event) } }

      nonisolated(nonsending) func wrapOperation(
        _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
      ) async {
        recorded.withLock { $0.operations.append((operation, store)) }
        _ = await body()
      }
    }

    let simulation: Simulation
    let recorder = Recorder()

    init() throws { simulation = try #require(Simulation.current) }

    /// Cancels a retry that waits for its second attempt.
    private func cancelRetry() async throws {
      let store = simulation.notes("orders", recorder)
      let handle = store.receive(NotesStore.Effect.task { throw Flaky.Failure() }.retry(.constant(.seconds(60))))
      try await simulation.clock.sleep(for: .seconds(1))
      handle.cancel()
    }

    @Test("The spans of a step forget a long wait when the retry ends")
    func forgottenWait() async throws {
      try await cancelRetry()
      let events = recorder.recorded.withLock { $0.events }
      #expect(events.count == 2)
      let (first, tracer) = (try #require(events.first), InMemoryTracer())
      let retry = try #require(first.effect?.attempt).retry
      let key = StepSpans.Key(store: first.store.number, retry: retry)
      var steps = StepSpans()
      _ = steps.operationBegins(key).step.start(after: nil) { tracer.startAnySpan("charge", context: .topLevel) }
      steps.operationEnded(key)
      for event in events { steps.note(event, longestWait: .seconds(1))?.finish() }
      #expect(tracer.activeSpans.isEmpty)
      #expect(steps.operationBegins(key).earlier == nil)
    }

    @Test("The spans of steps end with their instrument if no event has ended them before")
    func released() async throws {
      try await cancelRetry()
      let (operation, store) = try #require(recorder.recorded.withLock { $0.operations.first })
      let tracer = InMemoryTracer()
      do {
        let instrument = TracingInstrument(tracer: tracer)
        await instrument.wrapOperation(operation, of: store, OperationBody { .finished })
        #expect(tracer.activeSpans.count == 1)
      }
      #expect(tracer.activeSpans.isEmpty)
    }
  }
#endif
