#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import Foundation
  import InMemoryTracing
  import Testing
  import Tracing

  @Suite("The spans of a store", .simulated(atEnd: .cancels))
  struct TracingInstrumentTests {
    let simulation: Simulation
    let tracer = InMemoryTracer()

    init() throws { simulation = try #require(Simulation.current) }

    private func store(longestWait: Duration = .seconds(60)) -> NotesStore {
      simulation.notes("orders", TracingInstrument(tracer: tracer, longestWait: longestWait))
    }

    private func spans(_ name: String) -> [FinishedInMemorySpan] {
      tracer.finishedSpans.filter { $0.operationName == name }
    }

    private func task(_ name: String, failing failures: Int = 0) -> NotesStore.Effect {
      let flaky = Flaky(failures: failures)
      return NotesStore.Effect.task {
        try await flaky.call()
        return .note(name)
      }
      .label(name)
    }

    @Test("Spans are below the span in which the effect was received, even after a wait")
    func parents() async throws {
      let store = store()
      await tracer.withSpan("request") { _ in
        _ = await store.run(.concatenate(task("first"), .sleep(.seconds(1)), task("second")))
      }
      let request = try #require(spans("request").first)
      #expect(spans("first").map(\.parentSpanID) == [request.spanID])
      #expect(spans("second").map(\.parentSpanID) == [request.spanID])
      #expect(spans("first")[0].attributes.get("asyncstore.store") == .string("orders"))
      #expect(spans("first")[0].attributes.get("asyncstore.outcome") == .string("finished"))
    }

    @Test("The span of an operation that throws has the status of an error, even if the error is recovered")
    func recovered() async throws {
      let store = store()
      await store.run(task("load", failing: 1).recover { _ in task("fallback") })
      #expect(spans("load").map { $0.status?.code } == [.error] && spans("load").map(\.errors.count) == [1])
      #expect(spans("fallback").map { $0.attributes.get("asyncstore.outcome") } == [.string("finished")])
    }

    @Test("The span of an operation is the current one inside of it")
    func current() async throws {
      let store = store()
      await store.run(
        NotesStore.Effect.task {
          tracer.withSpan("query") { _ in }
          return .none
        }.label("load"))
      #expect(spans("query").map(\.parentSpanID) == spans("load").map(\.spanID))
    }

    @Test("Each attempt has a span below the span of the whole step")
    func attempts() async throws {
      let store = store()
      await tracer.withSpan("request") { _ in
        _ = await store.run(
          .sequence(task("charge", failing: 2).retry(.constant(.seconds(1))), task("ship").id("places").id("request")))
      }
      let request = try #require(spans("request").first)
      let step = try #require(spans("charge").first { $0.attributes.get("asyncstore.kind") == .string("retry") })
      let attempts = spans("charge").filter { $0.spanID != step.spanID }
      #expect(step.parentSpanID == request.spanID)
      #expect(attempts.map(\.parentSpanID) == [step.spanID, step.spanID, step.spanID])
      #expect(attempts.map { $0.attributes.get("asyncstore.attempt") } == [.int64(1), .int64(2), .int64(3)])
      #expect(attempts.map { $0.errors.count } == [1, 1, 0] && attempts[0].status?.code == .error)
      #expect(spans("ship").map(\.parentSpanID) == [request.spanID])
      #expect(spans("ship").map { $0.attributes.get("asyncstore.id") } == [.string("places")])
      #expect(spans("ship").map { $0.attributes.get("asyncstore.outer-ids") } == [.stringArray(["request"])])
      #expect(step.endInstant.nanosecondsSinceEpoch >= attempts[2].startInstant.nanosecondsSinceEpoch)
    }

    @Test("Operations that an attempt begins at once have spans below the span of the whole step")
    func merged() async throws {
      let store = store(longestWait: .seconds(10))
      let both = NotesStore.Effect.merge(task("charge", failing: 1), task("pack", failing: 1))
      await store.run(both.retry(.constant(.seconds(60))))
      let steps = tracer.finishedSpans.filter { $0.attributes.get("asyncstore.kind") == .string("retry") }
      let operations = tracer.finishedSpans.filter { span in !steps.contains { $0.spanID == span.spanID } }
      #expect(steps.map(\.links.count) == [0, 1])
      #expect(Set(operations.map(\.parentSpanID)) == Set(steps.map(\.spanID)))
      #expect(operations.allSatisfy { $0.attributes.get("asyncstore.outcome") != nil })
    }

    @Test("The span of an attempt that timed out is below the same step as the next attempt")
    func timeout() async throws {
      let store = store()
      let clock = simulation.clock
      let hangs = Flaky(failures: 1)
      let charge = NotesStore.Effect.task {
        do { try await hangs.call() } catch { try await clock.hang() }
        return .none
      }
      await store.run(
        charge.timeout(.seconds(1), else: .task { throw Flaky.Failure() }).retry(.constant(.seconds(1))).label("charge")
      )
      let step = try #require(spans("charge").first { $0.attributes.get("asyncstore.kind") == .string("retry") })
      let attempts = spans("charge").filter { $0.spanID != step.spanID }
      #expect(Set(attempts.map(\.parentSpanID)) == [step.spanID])
      #expect(attempts.first?.attributes.get("asyncstore.outcome") == .string("cancelled"))
      #expect(attempts.last?.attributes.get("asyncstore.outcome") == .string("finished"))
    }

    @Test("A step's span ends before a long wait, and the next step's span links to it")
    func longWait() async throws {
      let store = store(longestWait: .seconds(10))
      await store.run(task("charge", failing: 1).retry(.constant(.seconds(3_600))))
      let steps = spans("charge").filter { $0.attributes.get("asyncstore.kind") == .string("retry") }
      #expect(steps.count == 2)
      #expect(steps.last?.links.count == 1)
      #expect(steps.last?.links.first?.context.inMemorySpanContext?.spanID == steps.first?.spanID)
    }

    @Test("A step's span lasts over a wait that is as long as the longest one")
    func longestWait() async throws {
      let store = store(longestWait: .seconds(10))
      await store.run(task("charge", failing: 1).retry(.constant(.seconds(10))))
      #expect(spans("charge").count { $0.attributes.get("asyncstore.kind") == .string("retry") } == 1)
    }

    @Test("Spans end with a store that is deactivated, in an attempt or between two")
    func stopped() async throws {
      for time in [Duration.seconds(2), .seconds(7)] {
        let (store, clock) = (store(), simulation.clock)
        let charge = NotesStore.Effect.task {
          // It ignores its cancellation.
          await Task { try? await clock.sleep(for: .seconds(3)) }.value
          throw Flaky.Failure()
        }
        let handle = store.receive(charge.retry(.constant(.seconds(60))).label("charge"))
        try await clock.sleep(for: time)
        store.deactivate()
        _ = await handle.outcome
        try await clock.sleep(for: .seconds(9))
        #expect(tracer.activeSpans.isEmpty, "after \(time)")
      }
      let steps = spans("charge").filter { $0.attributes.get("asyncstore.kind") == .string("retry") }
      #expect(steps.count == 2)
    }

    @Test("The spans of a cancelled retry end")
    func cancelled() async throws {
      let store = store()
      let handle = store.receive(task("charge", failing: 9).retry(.constant(.seconds(5))))
      try await simulation.clock.sleep(for: .seconds(7))
      handle.cancel()
      #expect(spans("charge").contains { $0.attributes.get("asyncstore.kind") == .string("retry") })
      #expect(tracer.activeSpans.isEmpty)
    }
  }

  @Suite("The spans of a store whose events come late")
  struct LateSpanTests {
    /// An instrument that delays the events of a store, on the thread that makes a commit.
    final class Delay: StoreInstrument {
      let events: EventKinds = .committed
      private let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      private let (told, tell) = AsyncStream.makeStream(of: Void.self)
      private let hasEnded = DispatchSemaphore(value: 0)

      func record(_ event: InstrumentEvent) {
        begin.finish()
        hasEnded.wait()
      }

      /// Begins the delay, with this commit.
      func begin(_ commit: @escaping @Sendable () -> Void) async {
        Thread.detachNewThread {
          commit()
          self.tell.finish()
        }
        for await _ in begun {}
      }

      /// Ends the delay, and returns when everything has been told.
      func end() async {
        hasEnded.signal()
        for await _ in told {}
      }
    }

    @Test("Late events keep the spans of two consecutive retries apart")
    func followingRetries() async throws {
      let (tracer, delay) = (InMemoryTracer(), Delay())
      let store = NotesStore(
        state: Notes(), env: (), instrument: CombinedInstrument([TracingInstrument(tracer: tracer), delay]))
      await delay.begin { store.receive(.note("slow")) }
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let retry = RetrySchedule.constant(.seconds(1))
      let handle = store.receive(
        .concatenate(
          NotesStore.Effect.task { .none }.label("charge").retry(retry),
          NotesStore.Effect.task {
            begin.finish()
            return .none
          }.label("ship").retry(retry)))
      for await _ in begun {}
      #expect(await handle.outcome.isFinished)
      await delay.end()
      let steps = tracer.finishedSpans.filter { $0.attributes.get("asyncstore.kind") == .string("retry") }
      #expect(steps.map(\.operationName) == ["charge", "ship"])
      for step in steps {
        let operations = tracer.finishedSpans.filter { $0.parentSpanID == step.spanID }
        #expect(operations.map(\.operationName) == [step.operationName])
      }
    }

    /// An instrument that tells of the end of a retry.
    private final class End: StoreInstrument {
      let events: EventKinds = .attemptsEnded
      private let (ended, end) = AsyncStream.makeStream(of: Void.self)

      func record(_ event: InstrumentEvent) { end.finish() }
      func wait() async { for await _ in ended {} }
    }

    @Test("A step's span continues if the next attempt begins before the long wait is reported")
    func attemptBeforeWait() async throws {
      let (tracer, delay, end) = (InMemoryTracer(), Delay(), End())
      let tracing = TracingInstrument(tracer: tracer, longestWait: .zero)
      let store = NotesStore(state: Notes(), env: (), instrument: CombinedInstrument([tracing, end, delay]))
      await delay.begin { store.receive(.note("slow")) }
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      let flaky = Flaky(failures: 1)
      store.receive(
        NotesStore.Effect.task {
          try await flaky.call()
          begin.finish()
          for await _ in gate {}
          return .none
        }.retry(.constant(.nanoseconds(1))))
      for await _ in begun {}
      await delay.end()
      open.finish()
      await end.wait()
      let steps = tracer.finishedSpans.filter { $0.attributes.get("asyncstore.kind") == .string("retry") }
      let attempts = tracer.finishedSpans.filter { $0.parentSpanID == steps.first?.spanID }
      #expect(steps.count == 1 && attempts.count == 2)
      let (stepEnd, start) = (steps.first?.endInstant, attempts.last?.startInstant)
      #expect(try #require(stepEnd).nanosecondsSinceEpoch >= #require(start).nanosecondsSinceEpoch)
    }
  }
#endif
