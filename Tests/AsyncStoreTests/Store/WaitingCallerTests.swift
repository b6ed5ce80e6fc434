import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AsyncStore

/// Real threads, because a store with an executor of its own starts all operations there; and one test at a time,
/// because each may block one of the pool's threads, of which there may be only two.
@Suite("A caller who waits for an effect begins its last operation on the caller's own thread", .serialized)
struct WaitingCallerTests {
  typealias Effect = JournalStore.Effect

  @TaskLocal static var local = 0

  /// Blocks the thread until a condition holds.
  ///
  /// - Returns: false if it has not held for a minute.
  private static func spin(until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
      if ContinuousClock.now > deadline { return false }
      sched_yield()
    }
    return true
  }

  @Test("An operation that waits for nothing runs on the caller's thread, in a task of its own")
  @concurrent
  func thread() async {
    let store = JournalStore(state: Journal(), env: ())
    let places = Shared(Mutex<[UInt]>([]))
    let operation = Effect.task {
      places.value.withLock { $0 += [currentThread(), Thread.currentTask] }
      #expect(WaitingCallerTests.local == 7)
      return .log("done")
    }
    let before = (currentThread(), Thread.currentTask)
    let outcome = await Self.$local.withValue(7) { await store.run(.concatenate(.log("begun"), operation)) }
    #expect(outcome.isFinished)
    #expect(store.log == ["begun", "done"])
    let seen = places.value.withLock { $0 }
    #expect(seen.first == before.0)
    #expect(seen.last != before.1)
  }

  @Test("An awaited change of the state does not suspend its caller")
  func change() async {
    final class CountingExecutor: TaskExecutor {
      let count = Atomic(0)
      func enqueue(_ job: consuming ExecutorJob) {
        count.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
    }
    let (executor, store) = (CountingExecutor(), JournalStore(state: Journal(), env: ()))
    let jobs = await Task(executorPreference: executor) {
      let before = executor.count.load(ordering: .relaxed)
      for _ in 0..<100 { await store.run(.log("changed")) }
      return executor.count.load(ordering: .relaxed) - before
    }.value
    #expect(store.log.count == 100)
    #expect(jobs == 0)
  }

  @Test("An operation continues elsewhere once it has waited, and its effects are part of it")
  @concurrent
  func waiting() async {
    let store = JournalStore(state: Journal(), env: ())
    let outcome = await store.run(
      .sequence(
        .task {
          await Task.detached {}.value
          return .log("waited")
        },
        .task {
          await Task.detached {}.value
          return .concatenate(.log("again"), .logTask("more"))
        },
        .sleep(.microseconds(1)), .logTask("last")))
    #expect(outcome.isFinished)
    #expect(store.log == ["waited", "again", "more", "last"])
    #expect(store.inFlight.isEmpty)
  }

  @Test("Operations that follow each other, more than a task runs without a pause, all run")
  @concurrent
  func many() async {
    let store = JournalStore(state: Journal(), env: ())
    await store.run(.concatenate(effects: (0..<1_000).map { _ in .task { .set { $0.count += 1 } } }))
    #expect(store.count == 1_000)
    @Sendable func descend(_ depth: Int) -> Effect {
      .task { depth == 0 ? .none : .concatenate(.set { $0.count += 1 }, descend(depth - 1)) }
    }
    await store.run(descend(1_000))
    #expect(store.count == 2_000)
  }

  @Test("The other operations of a merge run beside it", arguments: [0, 1])
  @concurrent
  func merge(waiting: Int) async {
    let store = JournalStore(state: Journal(), env: ())
    let hasBegun = Shared(Atomic(false))
    let one = Effect.task {
      hasBegun.value.store(true, ordering: .releasing)
      return .none
    }
    let other = Effect.task {
      #expect(Self.spin { hasBegun.value.load(ordering: .acquiring) })
      return .log("done")
    }
    await store.run(waiting == 0 ? .merge(other, one) : .merge(one, other))
    #expect(store.log == ["done"])
  }

  @Test("An operation begins while the observers of the commits before are notified")
  @concurrent
  func observers() async {
    let store = JournalStore(state: Journal(), env: ())
    let board = JournalStore(state: Journal(), env: ())
    let hasBegun = Shared(Atomic(false))
    board.bind(id: "log", to: store, on: \.log) { log in
      if !log.isEmpty { #expect(Self.spin { hasBegun.value.load(ordering: .acquiring) }) }
      return .set(\.log, to: log)
    }
    await store.run(
      .concatenate(
        .log("begun"),
        .task {
          hasBegun.value.store(true, ordering: .releasing)
          return .none
        }))
    #expect(await Stress.eventually { board.log == ["begun"] })
  }

  @Test("An executor that the caller prefers is free while the operation runs")
  func executor() async {
    let (store, executor) = (JournalStore(state: Journal(), env: ()), HandExecutor())
    let (hasRun, isDone) = (Shared(Atomic(false)), Shared(Atomic(false)))
    let caller = Task(executorPreference: executor) {
      await store.run(
        .task {
          #expect(Self.spin { hasRun.value.load(ordering: .acquiring) })
          return .none
        })
    }
    let other = Task(executorPreference: executor) { hasRun.value.store(true, ordering: .releasing) }
    Foundation.Thread.detachNewThread {
      while !isDone.value.load(ordering: .acquiring) {
        executor.run()
        sched_yield()
      }
    }
    #expect(await caller.value.isFinished)
    await other.value
    isDone.value.store(true, ordering: .releasing)
  }

  @Test("An actor that waits is free while the operation runs")
  func actor() async {
    actor Caller {
      let store = JournalStore(state: Journal(), env: ())
      let hasCalled = Shared(Atomic(false))
      func call() { hasCalled.value.store(true, ordering: .releasing) }
      func run() async -> EffectOutcome {
        let hasCalled = hasCalled
        return await store.run(
          .task {
            #expect(WaitingCallerTests.spin { hasCalled.value.load(ordering: .acquiring) })
            return .none
          })
      }
    }
    let caller = Caller()
    async let outcome = caller.run()
    #expect(await Stress.eventually { !caller.store.inFlight.isEmpty })
    await caller.call()
    #expect(await outcome.isFinished)
  }

  @Test("A cancel by the identifier reaches an operation that has not waited yet")
  @concurrent
  func cancelByIdentifier() async {
    let store = JournalStore(state: Journal(), env: ())
    let hasBegun = Shared(Atomic(false))
    let canceller = Task.detached {
      #expect(Self.spin { hasBegun.value.load(ordering: .acquiring) })
      store.receive(.cancel("work"))
    }
    let outcome = await store.run(
      .task {
        hasBegun.value.store(true, ordering: .releasing)
        #expect(Self.spin { Task.isCancelled })
        return .log("too late")
      }.id("work"))
    #expect(outcome.isCancelled)
    #expect(store.log == [])
    await canceller.value
  }

  @Test("A cancel of the caller reaches an operation that has not waited yet")
  func cancelOfCaller() async {
    let store = JournalStore(state: Journal(), env: ())
    let hasBegun = Shared(Atomic(false))
    let caller = Task.detached {
      await store.run(
        .task {
          hasBegun.value.store(true, ordering: .releasing)
          #expect(Self.spin { Task.isCancelled })
          return .log("too late")
        })
    }
    #expect(await Stress.eventually { hasBegun.value.load(ordering: .acquiring) })
    caller.cancel()
    #expect(await caller.value.isCancelled)
    #expect(store.log == [])
  }

  @Test("A caller that is cancelled already begins no operation")
  func cancelledCaller() async {
    let store = JournalStore(state: Journal(), env: ())
    let caller = Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      return await store.run(
        .concatenate(
          .log("prefix"),
          .task {
            Issue.record("An operation has begun.")
            return .none
          }))
    }
    #expect(await caller.value.isCancelled)
    #expect(store.log == ["prefix"])
    #expect(store.inFlight.isEmpty)
  }

  @Test("A limit in time reaches an operation that has not waited yet")
  @concurrent
  func timeout() async {
    let store = JournalStore(state: Journal(), env: ())
    await store.run(
      .task {
        #expect(Self.spin { Task.isCancelled })
        return .log("too late")
      }.timeout(.milliseconds(5), else: .log("timed out")))
    #expect(store.log == ["timed out"])
  }

  @Test("Operations that run effects themselves, 20,000 in each other, use no stack")
  @concurrent
  func recursion() async {
    let store = JournalStore(state: Journal(), env: ())
    @Sendable func run(_ depth: Int) async {
      await store.run(
        .task {
          if depth > 0 { await run(depth - 1) }
          return .set { $0.count += 1 }
        })
    }
    await run(20_000)
    #expect(store.count == 20_001)
  }

  @Test("An operation that its own effect cancels before it begins is over")
  @concurrent
  func cancelledInPrefix() async {
    let store = JournalStore(state: Journal(), env: ())
    let outcome = await store.run(
      .merge(
        .task {
          Issue.record("An operation has begun.")
          return .none
        }.id("work"),
        .cancel("work")))
    #expect(outcome.isFinished)
    #expect(store.inFlight.isEmpty)
  }

  @Test("An instrument is notified of an operation on the caller's thread, before that begins")
  @concurrent
  func toldOf() async {
    let recorder = Recorder()
    let store = JournalStore(state: Journal(), env: (), instrument: recorder)
    let thread = currentThread()
    for _ in 0..<3 {
      recorder.clear()
      await store.run(
        .concatenate(
          .log("begun"),
          .task {
            #expect(currentThread() == thread)
            #expect(recorder.lines == ["committed set", "begun task"])
            return .none
          }))
    }
    #expect(recorder.lines.last == "settled task: finished")
  }

  /// Commits to a store when an operation has begun, itself or on another thread.
  private final class Intruder: StoreInstrument {
    let events: EventKinds = .begun
    private let isElsewhere: Bool
    private let store = Mutex<JournalStore?>(nil)

    init(isElsewhere: Bool) { self.isElsewhere = isElsewhere }

    func intrude(on store: JournalStore) { self.store.withLock { $0 = store } }

    func record(_ event: InstrumentEvent) {
      guard let store = store.withLock({ $0.take() }) else { return }
      guard isElsewhere else { return _ = store.receive(.set(\.count, to: 1)) }
      let isDone = Shared(Atomic(false))
      Foundation.Thread {
        store.receive(.set(\.count, to: 1))
        isDone.value.store(true, ordering: .releasing)
      }.start()
      #expect(WaitingCallerTests.spin { isDone.value.load(ordering: .acquiring) })
    }
  }

  @Test(
    "An operation does not wait for observers of what is committed while an instrument is notified of it",
    arguments: [false, true], [false, true])
  @concurrent
  func commitsMeanwhile(isElsewhere: Bool, isOfOther: Bool) async {
    let intruder = Intruder(isElsewhere: isElsewhere)
    let store = JournalStore(state: Journal(), env: (), instrument: intruder)
    let other = JournalStore(state: Journal(), env: ())
    let board = JournalStore(state: Journal(), env: ())
    let (hasBegun, observed) = (Shared(Atomic(false)), isOfOther ? other : store)
    board.bind(id: "count", to: observed, on: \.count) { count in
      // Another thread that commits to another store tells its observers itself.
      if count == 1, !(isElsewhere && isOfOther) { #expect(Self.spin { hasBegun.value.load(ordering: .acquiring) }) }
      return .set(\.count, to: count)
    }
    intruder.intrude(on: observed)
    await store.run(
      .task {
        hasBegun.value.store(true, ordering: .releasing)
        return .none
      })
    #expect(await Stress.eventually { board.count == 1 })
  }

  @Test("An instrument wraps an operation on the caller's thread, and may wait before it", arguments: [false, true])
  @concurrent
  func wrapped(waits: Bool) async {
    let store = JournalStore(state: Journal(), env: (), instrument: Binder(waits: waits))
    let thread = currentThread()
    let outcome = await store.run(
      .concatenate(
        .log("begun"),
        .task {
          if !waits { #expect(currentThread() == thread) }
          return .log("\(Self.local)")
        }))
    #expect(outcome.isFinished)
    #expect(store.log == ["begun", "7"])
    #expect(store.inFlight.isEmpty)
  }

  /// Binds a task-local value around each operation.
  private struct Binder: StoreInstrument {
    let waits: Bool

    var events: EventKinds { [] }
    var interests: InstrumentInterests { [.operations] }

    func record(_ event: InstrumentEvent) {}

    func wrapOperation(
      _ record: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      await WaitingCallerTests.$local.withValue(7) {
        if waits { await Task.detached {}.value }
        _ = await body()
      }
    }
  }

  @Test("A store on an actor commits there what an operation on the caller's thread has answered")
  @concurrent
  func storeOnActor() async {
    let desk = Desk()
    let store = JournalStore(state: Journal(), env: (), isolation: desk)
    let thread = currentThread()
    let outcome = await store.run(
      .task {
        #expect(currentThread() == thread)
        return .set {
          desk.assertIsolated()
          $0.count += 1
        }
      })
    #expect(outcome.isFinished)
    #expect(await desk.run { _ in store.count } == 1)
  }
}

/// Returns a number that distinguishes this thread from all other live threads.
private func currentThread() -> UInt { UInt(bitPattern: Thread.record) }
