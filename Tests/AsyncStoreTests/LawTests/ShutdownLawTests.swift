import Testing

@testable import AsyncStore

@Suite("Law 19: a shutdown loses nothing")
struct ShutdownLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Draining

  @Test("Effects in flight continue while the store drains, with the effects that they begin")
  func drains() throws {
    let store = harness.store()
    let gate = Gate()
    store.receive(
      .concatenate(
        .task {
          await gate.wait()
          return .task { .concatenate(.log("1"), .sleep(.seconds(2)), .log("2")) }
        }, .log("3")))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    #expect(store.phase == .draining)
    #expect(!store.isActive)
    gate.open()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["1", "2", "3"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(store.phase == .inactive)
    #expect(store.remains == [])
    #expect(harness.sleeperCount == 0)
  }

  @Test("The limits hold where operations have taken all threads of the store's executor", .timeLimit(.minutes(10)))
  func limitsWithoutThreads() async throws {
    let executor = BlockedExecutor()
    let store = JournalStore(state: Journal(), env: (), executor: executor)
    store.receive(.logTask("never").id("job"))
    let (drain, cleanup) = (Duration.milliseconds(1), Duration.milliseconds(1))
    let cancelled = try await store.shutdown(drain: drain, cleanup: cleanup)
    #expect(cancelled.map(\.kind) == [.task] && store.phase == .inactive)
    executor.run()
    #expect(store.log == [] && store.remains == [])
  }

  @Test("A source that draining stops was cancelled, whether it is a timer, a stream or a binding")
  func stoppedSources() {
    let recorder = Recorder()
    let (up, store) = (harness.store(), harness.store(instrument: recorder))
    store.receive(Effect.stream(AsyncStream<Int> { _ in }) { _ in .none }.id("s"))
    store.receive(.timer(.seconds(1), id: "t") { _ in .none })
    store.bind(id: "b", to: up, on: \.count) { _ in .none }
    harness.settle()
    recorder.clear()
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    #expect(shutdown.value?.isEmpty == true)
    let ends = recorder.lines.filter { $0.hasPrefix("settled") }
    #expect(ends.sorted() == ["[b] binding", "[s] stream", "[t] timer"].map { "settled \($0): cancelled" })
  }

  @Test("A store that drains receives nothing and says so")
  func receivesNothing() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    store.receive(.logTask("1", after: gate))
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    recorder.clear()
    #expect(store.receive(.log("never")).outcomeIfSettled?.word == "inactive")
    #expect(store.receive(.logTask("never")).outcomeIfSettled?.word == "inactive")
    #expect(recorder.lines == ["ignored set", "ignored task"])
    gate.open()
    harness.settle()
    #expect(store.log == ["1"])
    #expect(shutdown.isFinished)
  }

  @Test(
    "A store that drains receives cancels, with their cleanup and their barrier", arguments: [false, true],
    [Effect.cancel("job"), .cancel(prefix: "job"), .cancelAll()])
  func receivesCancels(isLifted: Bool, cancel: Effect) {
    let (store, other) = (harness.store(), harness.store())
    store.receive(.sleep(.seconds(60)).finally(.logTask("given back")).id("job"))
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.settle()
    let handle = isLifted ? other.receive(.lift(cancel, to: store)) : store.receive(cancel)
    #expect(store.phase == .draining)
    harness.settle()
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.log == ["given back"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(store.phase == .inactive)
    #expect(store.remains == [])
  }

  @Test("A cancel whose barrier is on its way when the cleanup begins is neither cancelled nor listed")
  func sparesCancels() {
    let (store, other) = (harness.store(), harness.store())
    let listed = Note<InFlight?>(nil)
    let gate = Gate()
    let hang = Effect.task {
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        let begun = store.runtime.beginDraining(keepsSources: false)
        #expect(store.runtime.beginCleanup(after: begun) == begun)
        listed.value = store.runtime.endShutdown()
      }
      return .log("never")
    }
    store.receive(.lift(hang, to: other).finally(.logTask("given back")).id("job"))
    harness.settle()
    let handle = store.receive(.cancel("job"))
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(listed.value?.map(\.description) == [])
    gate.open()
    harness.settle()
    #expect(store.log == ["given back"])
    store.deactivate()
    #expect(store.remains == [])
  }

  @Test(
    "An effect cancelled before a shutdown is not listed, whatever is around it",
    arguments: [{ $0 }, { $0.label("n") }, { .concatenate($0) }, { $0.finally(.none) }, { $0.id("outer") }]
      as [@Sendable (Effect) -> Effect])
  func cancelledBefore(shape: @Sendable (Effect) -> Effect) {
    let store = harness.store()
    let gate = Gate()
    store.receive(shape(Effect.logTask("never", after: gate).id("job")))
    harness.settle()
    store.receive(.cancel("job"))
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.settle()
    gate.open()
    harness.settle()
    #expect(shutdown.value?.map(\.description) == [])
    #expect(store.remains == [])
  }

  @Test("An effect still to begin behind a cancelled one is listed as cancelled", arguments: [false, true])
  func listedBehindCancelled(isNested: Bool) {
    let store = harness.store()
    let gate = Gate()
    let first = Effect.logTask("never", after: gate).id("in")
    store.receive(.concatenate(isNested ? first.id("out") : first, .log("never")).id("whole"))
    harness.settle()
    store.receive(.cancel("in"))
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.settle()
    gate.open()
    harness.settle()
    #expect(shutdown.value?.map(\.identifier) == ["whole"])
    #expect(store.log == [])
  }

  @Test("A list that has more than a cancel is not taken while the store drains, nor is its cancel")
  func receivesNoList() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("1", after: gate).id("job"))
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    #expect(store.receive(.concatenate(.cancel("job"), .log("never"))).outcomeIfSettled?.word == "inactive")
    gate.open()
    harness.settle()
    #expect(store.log == ["1"])
    #expect(shutdown.isFinished)
  }

  @Test("A cancel during the cleanup phase ends no cleanup")
  func cancelsNoCleanup() {
    let store = harness.store()
    let undo = Gate()
    store.receive(.sleep(.seconds(60)).finally(.logTask("given back", after: undo)).id("job"))
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.settle()
    #expect(store.phase == .cleaningUp)
    #expect(store.receive(.cancelAll()).outcomeIfSettled?.word == "inactive")
    undo.open()
    harness.settle()
    #expect(store.log == ["given back"])
    #expect(shutdown.value?.compactMap(\.identifier) == ["job"])
    #expect(store.remains == [])
  }

  @Test("Timers, streams and bindings stop when draining begins, and the effects that they have begun continue")
  func sourcesStop() {
    let (store, up, other) = (harness.store(), harness.store(), harness.store())
    let gate = Gate()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    store.receive(.timer(.seconds(1), id: "t") { .logTask("tick \($0.index)", after: gate) })
    store.bind(id: "s", stream: stream, strategy: .serial) { .logTask("element \($0)", after: gate) }
    store.bind(id: "b", to: up, on: \.count) { value in
      .concatenate(.logTask("value \(value)", after: gate), .timer(.seconds(1), id: "late") { _ in .log("never") })
    }
    store.receive(.lift(.timer(.seconds(1), id: "lifted") { _ in .log("lifted tick") }, to: other))
    continuation.yield(1)
    continuation.yield(2)
    harness.advance(by: .seconds(1))
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    up.receive(.set(\.count, to: 1))
    continuation.yield(3)
    harness.advance(by: .seconds(5))
    #expect(!shutdown.isFinished)
    gate.open()
    harness.settle()
    #expect(store.log.sorted() == ["element 1", "element 2", "tick 1", "value 0"])
    #expect(other.log == ["lifted tick"])
    #expect(other.inFlight.isEmpty)
    #expect(shutdown.value?.isEmpty == true)
    #expect(store.remains == [])
  }

  @Test("Sources that are kept continue until all received effects have ended")
  func sourcesAreKept() {
    let store = harness.store()
    store.receive(.timer(.seconds(1), id: "t") { .log("tick \($0.index)") })
    store.receive(.concatenate(.sleep(.milliseconds(2_500)), .log("end")))
    let shutdown = harness.start { try await store.shutdown(keepingSources: true) }
    harness.advance(by: .seconds(10))
    #expect(store.log == ["tick 1", "tick 2", "end"])
    #expect(shutdown.value?.map(\.kind) == [.timer])
    #expect(store.remains == [])
  }

  @Test("A throttle's window is not waited for, the call that waits for its end is")
  func throttles() {
    let store = harness.store()
    for line in ["first", "last"] { store.receive(.log(line).throttle(for: .seconds(3), id: "x")) }
    let shutdown = harness.start { try await store.shutdown() }
    harness.advance(by: .seconds(3))
    #expect(store.log == ["first", "last"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(store.remains == [])
  }

  // MARK: Cleaning up

  @Test("An effect that has not ended in time is cancelled with its cleanup, which is awaited")
  func cancelsWithCleanup() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let (job, undo) = (Gate(), Gate())
    store.receive(
      .task {
        try await job.waitUnlessCancelled()
        return .log("never")
      }.finally(.concatenate(.logTask("undone", after: undo), .sleep(.seconds(1)), .log("given back"))).id("order"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(3)) }
    harness.advance(by: .milliseconds(2_999))
    #expect(store.phase == .draining)
    harness.advance(by: .milliseconds(1))
    #expect(store.phase == .cleaningUp)
    undo.open()
    harness.advance(by: .seconds(1))
    #expect(store.log == ["mapped CancellationError()", "undone", "given back"])
    #expect(shutdown.value?.compactMap(\.identifier) == ["order"])
    #expect(store.phase == .inactive)
    #expect(store.remains == [])
  }

  @Test("A cleanup that has begun before is not cancelled")
  func sparesCleanups() {
    let store = harness.store()
    let undo = Gate()
    let inner = Effect.sleep(.seconds(100)).finally(.logTask("undone", after: undo)).id("inner")
    store.receive(.concatenate(inner, .sleep(.seconds(100)), .log("never")))
    store.receive(.cancel("inner"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.settle()
    #expect(!shutdown.isFinished)
    undo.open()
    harness.settle()
    #expect(store.log == ["undone"])
    #expect(shutdown.isFinished)
    #expect(store.remains == [])
  }

  @Test(
    "A cleanup after an effect that has ended, or in a sequence that has failed, is not cancelled either",
    arguments: [false, true])
  func sparesCleanupsOfWhatHasEnded(isSequence: Bool) {
    let store = harness.store()
    let undo = Effect.concatenate(.log("undoing"), .sleep(.seconds(1)), .log("undone"))
    store.receive(
      isSequence
        ? .sequence(.log("done").compensate(with: undo), .fail("x"), .log("never"))
        : .concatenate(.log("done").finally(undo), .log("never")))
    harness.settle()
    #expect(store.log == ["done", "undoing"])
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.advance(by: .seconds(1))
    #expect(store.log == ["done", "undoing", "undone"])
    #expect(shutdown.isFinished && shutdown.error == nil)
    #expect(store.remains == [])
  }

  @Test("An effect that has not ended when the time for cleanups is over is named")
  func namesTheRest() throws {
    let store = harness.store()
    let gate = Gate()
    let upload = Effect.task {
      await gate.wait()
      return .log("never")
    }
    store.receive(upload.finally(.log("never")).label("slow upload").id("upload"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(1), cleanup: .seconds(3)) }
    harness.advance(by: .milliseconds(3_999))
    #expect(!shutdown.isFinished)
    harness.advance(by: .milliseconds(1))
    let error = try #require(shutdown.error as? AsyncStoreError)
    #expect(error.code == .stillRunning)
    #expect(error.inFlight.compactMap(\.label) == ["slow upload"])
    #expect(error.description.contains("slow upload"))
    #expect(error.location.file.contains("ShutdownLawTests.swift"))
    #expect(store.phase == .inactive)
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
    #expect(harness.sleeperCount == 0)
  }

  @Test("A shutdown waits for cleanups in other stores")
  func liftedCleanups() {
    let (store, other) = (harness.store(), harness.store())
    let job = Effect.sleep(.seconds(100)).finally(.concatenate(.sleep(.seconds(1)), .log("undone")))
    store.receive(.lift(job, to: other).finally(.lift(.log("given back"), to: other)))
    let shutdown = harness.start { try await store.shutdown(drain: .zero) }
    harness.advance(by: .seconds(1))
    #expect(other.log == ["undone", "given back"])
    #expect(shutdown.isFinished)
    #expect(store.remains == [])
    #expect(other.remains == [])
  }
}
