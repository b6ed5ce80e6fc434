import Dispatch
import Synchronization
import Testing

@testable import AsyncStore

/// The consequences of calls inside mutations follow once the thread has released its locks, and not before.
@Suite("Laws 6 to 8, 11, 16, 19, 20 and 22 to 24, where a mutation calls other stores", .timeLimit(.minutes(10)))
struct MutationCallLawTests {
  typealias Effect = JournalStore.Effect

  let harness = Harness()

  private func idle() -> Effect { .sleep(.seconds(3_600)) }

  private func make() -> JournalStore { JournalStore(state: Journal(), env: ()) }

  private func countForEver() -> Effect {
    .update { journal in
      journal.count += 1
      return countForEver()
    }
  }

  /// Returns an effect that ends when it is cancelled, and calls `handler` then.
  private func operation(_ begun: Gate, _ handler: @escaping @Sendable () -> Void) -> Effect {
    .task {
      await withTaskCancellationHandler {
        begun.open()
        // Ends when it is cancelled.
        try? await Gate().waitUnlessCancelled()
      } onCancel: {
        handler()
      }
      return .none
    }
  }

  // MARK: Barriers

  @Test("A drop in a mutation whose cleanup cancels in the mutation's store does not wait for the barrier behind it")
  func law07_dropThenCancel() {
    let (store, other, third) = (make(), make(), make())
    let dropped = Note<JournalStore?>(make())
    dropped.value?.receive(.lift(idle().finally(.lift(.cancel("anything"), to: store)), to: other))
    store.receive(.lift(idle(), to: third).id("x"))
    store.receive(
      .update { _ in
        dropped.value = nil
        return .cancel("x")
      })
    #expect(store.inFlight.isEmpty && other.inFlight.isEmpty && third.inFlight.isEmpty)
    #expect([store, other, third].flatMap(\.remains) == [])
  }

  @Test("An operation's effect may drop a store in its mutation, and cancel behind it")
  func law07_dropThenCancelByOperation() async {
    let (store, other, third) = (make(), make(), make())
    let dropped = Note<JournalStore?>(make())
    dropped.value?.receive(.lift(idle().finally(.lift(.cancel("anything"), to: store)), to: other))
    store.receive(.lift(idle(), to: third).id("x"))
    await store.run(
      .task {
        .update { _ in
          dropped.value = nil
          return .cancel("x")
        }
      })
    #expect(store.inFlight.isEmpty && other.inFlight.isEmpty && third.inFlight.isEmpty)
  }

  @Test("A cancellation handler that a mutation's cancel calls may cancel in the mutation's store")
  func law07_handlerCancels() async {
    let (store, hub, other, third) = (make(), make(), make(), make())
    let begun = Gate()
    hub.receive(.lift(operation(begun) { store.receive(.cancel("anything")) }, to: other).id("y"))
    await begun.wait()
    store.receive(.lift(idle(), to: third).id("x"))
    store.receive(.concatenate(.set { _ in hub.receive(.cancel("y")) }, .cancel("x")))
    #expect(third.inFlight.isEmpty && store.inFlight.isEmpty)
  }

  @Test("Two mutations that drop stores whose cleanups cancel in each other's stores don't wait for each other")
  func law07_dropsMeet() async {
    let stores = [make(), make()]
    let entered = Shared(Atomic<Int>(0))
    let dropped = stores.indices.map { index in
      let dropped = make()
      let meet = Effect.set { _ in
        entered.value.add(1, ordering: .acquiringAndReleasing)
        while entered.value.load(ordering: .acquiring) < 2 { Thread.yield() }
      }
      let cleanup = Effect.concatenate(meet, .lift(.cancel("anything"), to: stores[1 - index]))
      dropped.receive(.lift(idle().finally(cleanup), to: make()))
      return Note<JournalStore?>(dropped)
    }
    for store in stores { store.receive(.lift(idle(), to: make()).id("x")) }
    await Stress.onThreads(2) { index in
      stores[index].receive(
        .update { _ in
          dropped[index].value = nil
          return .cancel("x")
        })
    }
    #expect(stores.flatMap(\.remains) == [])
  }

  @Test("Many cancels in one mutation arrive in one wave")
  func law07_manyCancels() {
    let (hub, other, store) = (make(), make(), make())
    for number in 0..<2_000 { hub.receive(.lift(idle(), to: other).id(number)) }
    let latches = Note(0)
    store.receive(
      .set { _ in
        for number in 0..<2_000 { hub.receive(.cancel(number)) }
        latches.value = hub.runtime.lock { $0.latches.count }
      })
    #expect(latches.value == 1)
    #expect(other.inFlight.isEmpty)
    #expect([hub, other, store].flatMap(\.remains) == [])
  }

  @Test("A barrier reaches what a mutation on its way drops, before any operation is asked to end")
  func law07_dropOnTheWay() async {
    let (hub, other, third) = (make(), make(), make())
    let dropped = Note<JournalStore?>(make())
    dropped.value?.receive(.lift(idle(), to: third))
    let (begun, isReached) = (Gate(), Note<Bool?>(nil))
    let drop = idle().finally(.set { _ in dropped.value = nil })
    let asked = operation(begun) { isReached.value = third.inFlight.isEmpty }
    hub.receive(.lift(.merge(asked, drop), to: other).id("y"))
    await begun.wait()
    hub.receive(.cancel("y"))
    #expect(isReached.value == true)
  }

  // MARK: Locks

  @Test("A mutation may drop a store whose operation runs an effect of the mutation's store")
  func law20_dropOfRunner() async {
    let (store, begun) = (make(), Gate())
    let child = Note<JournalStore?>(make())
    child.value?.receive(
      .task {
        let handle = store.receive(.sleep(.seconds(3_600)).id("work"))
        begun.open()
        await withTaskCancellationHandler {
          _ = await handle.outcome
        } onCancel: {
          handle.cancel()
        }
        return .none
      })
    await begun.wait()
    store.receive(.set { _ in child.value = nil })
    #expect(store.inFlight.isEmpty)
  }

  @Test("A mutation may cancel in a store that its own store has lifted into")
  func law20_cancelOfOwnLift() {
    let (store, other) = (make(), make())
    store.receive(.concatenate(.lift(idle().id("y"), to: other), .log("behind")))
    store.receive(.set { _ in other.receive(.cancel("y")) })
    #expect(store.log == ["behind"])
    #expect((store.remains + other.remains) == [])
  }

  @Test("Mutations that cancel in each other's lifted effects wait for no lock of each other")
  func law20_cancelsOfEachOthersLifts() async {
    let (stores, others) = ([make(), make()], [make(), make()])
    for index in 0..<2 { stores[1 - index].receive(.lift(idle().id("y"), to: others[index])) }
    let entered = Shared(Atomic<Int>(0))
    await Stress.onThreads(2) { index in
      stores[index].receive(
        .set { _ in
          entered.value.add(1, ordering: .acquiringAndReleasing)
          while entered.value.load(ordering: .acquiring) < 2 { Thread.yield() }
          others[index].receive(.cancel("y"))
        })
    }
    #expect(stores.allSatisfy { $0.inFlight.isEmpty })
  }

  @Test("A mutation may change a store that its own store is bound to")
  func law16_changeOfUpstream() {
    let (store, upstream) = (make(), make())
    store.bind(id: "count", to: upstream, on: \.count) { count in .log("\(count)") }
    store.receive(.set { _ in upstream.receive(.set(\.count, to: 1)) })
    #expect(store.log == ["0", "1"])
  }

  @Test(
    "A call in a mutation that ends a shutdown's wait resumes it when its barrier has arrived, and no store is locked",
    arguments: [false, true])
  func law19_resumedInMutation(isActivated: Bool) async {
    let (store, other, third) = (make(), make(), make())
    let isWaiting = Note(false)
    let executor = ObservingExecutor {
      !isWaiting.value || !Thread.hasLockedStore && (isActivated || third.inFlight.isEmpty)
    }
    store.receive(.lift(idle(), to: third))
    let shutdown = Task(executorPreference: executor) {
      do {
        try await store.shutdown(drain: nil)
      } catch {}
    }
    #expect(store.runtime.lock { !$0.phaseWaiters.isEmpty })
    isWaiting.value = true
    other.receive(.set { _ in if isActivated { store.activate() } else { store.deactivate() } })
    if isActivated { store.receive(.cancelAll()) }
    await shutdown.value
    #expect(executor.isAlwaysMet)
  }

  // MARK: Order

  @Test("Effects received in one mutation commit in order and at once, also behind a barrier that was put off")
  func law06_orderBehindBarrier() {
    let (hub, other, store) = (make(), make(), make())
    hub.receive(.lift(idle(), to: other).id("y"))
    let seen = Note<[String]>([])
    store.receive(
      .set { _ in
        hub.receive(.concatenate(.cancel("y"), .log("1")))
        hub.receive(.concatenate(.log("2"), .log("3")))
        hub.receive(.log("4"))
        seen.value = hub.log
      })
    #expect(seen.value == ["1", "2", "3", "4"])
    #expect(hub.log == ["1", "2", "3", "4"])
    #expect(other.inFlight.isEmpty)
  }

  @Test("Effects received in one mutation commit in order and at once, however long they are")
  func law06_longPrefixInMutation() {
    let (hub, other, store) = (make(), make(), make())
    hub.receive(.lift(idle(), to: other).id("y"))
    let seen = Note<[String]>([])
    let lines = (0..<5_000).map { "\($0)" }
    var effects = lines.map { Effect.log($0) }
    effects.insert(.cancel("y"), at: 2_500)
    let effect = Effect.concatenate(effects: effects)
    store.receive(
      .set { _ in
        hub.receive(effect)
        hub.receive(.log("behind"))
        seen.value = hub.log
      })
    #expect(seen.value == lines + ["behind"])
    #expect(hub.log == seen.value)
    #expect([hub, other, store].flatMap(\.remains) == [])
  }

  @Test("Effects beside and behind a lift come after the mutation that received them, however many they are")
  func law06_liftInMutation() {
    let (hub, other, store) = (make(), make(), make())
    let lines = (0..<3_000).map { "\($0)" }
    let effects = lines.map { Effect.log($0) }
    store.receive(
      .set { _ in
        hub.receive(
          .concatenate(
            .merge(.lift(.concatenate(effects: effects), to: other), .log("beside")), .concatenate(effects: effects)))
        hub.receive(.log("received later"))
      })
    #expect(other.log == lines)
    #expect(hub.log == ["received later", "beside"] + lines)
  }

  @Test("An endless effect, received in a mutation, keeps nobody from its store, and is ended by its deactivation")
  func law11_endlessInMutation() async {
    let (hub, store) = (make(), make())
    let hasBegun = DispatchSemaphore(value: 0)
    await Stress.onThreads(2) { index in
      if index == 0 {
        store.receive(
          .set { _ in
            let begin = Effect.update { _ in
              hasBegun.signal()
              return .none
            }
            hub.receive(.concatenate(begin, countForEver()))
          })
      } else {
        hasBegun.wait()
        hub.receive(.log("received"))
        hub.deactivate()
      }
    }
    #expect(hub.log == ["received"])
    #expect((hub.remains + store.remains) == [])
  }

  @Test("A cancel after a mutation reaches the effect that the mutation has started again, whose prefix is committed")
  func law08_startedInMutation() {
    let (hub, other, store) = (make(), make(), make())
    hub.receive(.lift(idle(), to: other).id("load"))
    store.receive(
      .set { _ in
        hub.receive(Effect.concatenate(.log("charged"), .log("noted"), .sleep(.seconds(3_600))).id("load"))
      })
    hub.receive(.cancel("load"))
    #expect(hub.log == ["charged", "noted"])
    #expect([hub, other, store].flatMap(\.remains) == [])
  }

  @Test("A timer that is cancelled by what a mutation has dropped is not mapped, even if the alarm is late")
  func law07_timerBehindDrop() {
    let (store, other) = (harness.store(), harness.store())
    let child = Note<JournalStore?>(harness.store())
    let events = Note<[String]>([])
    let cleanup = Effect.lift(
      .concatenate(.cancel("timer"), .set { _ in events.change { $0.append("cancelled") } }), to: store)
    child.value?.receive(.lift(idle().finally(cleanup), to: other))
    store.receive(
      .concatenate(
        .sleep(.milliseconds(2)),
        .set { _ in
          child.value = nil
          events.change { $0.append("dropped") }
        }))
    store.receive(
      .timer(.nanoseconds(2_000_001), id: "timer") { _ in
        events.change { $0.append("mapped") }
        return .none
      })
    harness.jump(by: .milliseconds(3))
    // The tick was due after the drop, and all that this leads to comes before.
    #expect(events.value == ["dropped", "cancelled"])
  }

  @Test("Effects that have waited for their turn on an actor come before a lift that another tree continues with")
  func law06_turnsBeforeOtherTrees() throws {
    let desk = Desk()
    let (first, second, third) = (harness.store(), harness.store(), harness.store())
    let store = harness.store(isolation: desk)
    first.receive(
      .concatenate(
        idle().id("go"), .lift(.merge(.lift(.cancel("z"), to: third), .lift(.log("later"), to: store)), to: second)))
    third.receive(.concatenate(idle().id("z"), .lift(.log("jump"), to: store)))
    @Sendable func receiveElsewhere() { store.receive(.concatenate(.log("waited"), .log("waited, too"))) }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = first.receive(.cancel("go"))
      }
    }
    #expect(store.log == ["waited", "waited, too", "jump", "later"])
  }

  @Test("Operations received in one mutation start in order, with an instrument or without", arguments: [false, true])
  func law24_operationsInMutation(isTraced: Bool) {
    let store = harness.store()
    let hub = harness.store(instrument: isTraced ? Silence() : nil)
    store.receive(
      .set { _ in
        hub.receive(Effect.logTask("1").id("x"))
        hub.receive(.logTask("2"))
      })
    harness.settle()
    #expect(hub.log == ["1", "2"])
  }

  @Test("A mutation may release an iterator over the values of its own store")
  func law20_iteratorInMutation() {
    let store = make()
    let iterator = Shared(Mutex(Optional(store.values(of: \.count).makeAsyncIterator())))
    store.receive(.set { _ in iterator.value.withLock { $0 = nil } })
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }

  @Test("An operation received in a mutation has the task-local values of the call that received it")
  func law22_valuesInMutation() async {
    let (hub, store) = (make(), make())
    let handle = Note<EffectHandle?>(nil)
    store.receive(
      .set { _ in
        handle.value = Caller.$name.withValue("inner") { hub.receive(.task { .log(Caller.name) }) }
      })
    _ = await handle.value?.outcome
    #expect(hub.log == ["inner"])
  }

  @Test("The effect of an operation that a mutation resumes, on an executor that continues at once, is put off")
  func law06_resumedInMutation() async throws {
    let (begun, answer) = (Gate(), Note<CheckedContinuation<Void, Never>?>(nil))
    let other = JournalStore(state: Journal(), env: (), executor: ImmediateExecutor())
    let store = make()
    let suspend: Effect = .task {
      await withCheckedContinuation { continuation in
        answer.change { $0 = continuation }
        begun.open()
      }
      return .concatenate(.log("a"), .lift(.log("lifted"), to: store), .log("b"))
    }
    other.receive(.concatenate(suspend, .task { .log("c") }))
    await begun.wait()
    let inMutation = Note<[String]>(["nothing read"])
    store.receive(
      .set { _ in
        answer.value?.resume()
        inMutation.change { $0 = other.log }
      })
    _ = try await other.wait(for: \.log) { $0.count == 3 }
    #expect(inMutation.value == [])
    #expect(other.log == ["a", "b", "c"] && store.log == ["lifted"])
    #expect((other.remains + store.remains) == [])
  }

  @Test(
    "An operation whose jobs a mutation runs, of its own store or another one, continues when that is over",
    arguments: [false, true], ["plain", "retried", "wrapped", "cancelled"])
  func law06_drainedInMutation(isOwn: Bool, kind: String) {
    let executor = HandExecutor()
    let store = JournalStore(
      state: Journal(), env: (), executor: executor, instrument: kind == "wrapped" ? OperationWrapper() : nil)
    let other = make()
    let operation = Effect.task { .concatenate(.log("a"), .task { .log("b") }) }
    store.receive(
      (kind == "retried" ? .task(retrying: .constant(.zero)) { _ in .log("ab") } : operation).id("x"))
    if kind == "cancelled" { store.receive(.cancel("x")) }
    for _ in 0..<3 { (isOwn ? store : other).receive(.set { _ in executor.run() }) }
    executor.run()
    #expect(store.log.joined() == (kind == "cancelled" ? "" : "ab"))
    #expect((store.remains + other.remains) == [])
  }

  // MARK: Space

  @Test("Mutations of cleanups that drop the next store, each lifted from the last, take no stack")
  func law23_chainOfDrops() {
    let count = TestSize.many(10_000)
    let (other, store) = (make(), make())
    let stores = Note((0..<count).map { _ in Optional(make()) })
    for index in 0..<count {
      let next = index + 1
      let cleanup: Effect =
        next < count ? .set { _ in stores.change { $0[next] = nil } } : .log("end")
      stores.value[index]?.receive(.lift(idle().finally(.lift(cleanup, to: store)), to: other))
    }
    store.receive(.set { _ in stores.change { $0[0] = nil } })
    #expect(store.log == ["end"])
    #expect((store.remains + other.remains) == [])
  }
}

/// An instrument that wants all events, and does nothing with them.
private struct Silence: StoreInstrument {
  func record(_ event: InstrumentEvent) {}
}

/// An instrument that is told of the operations by being around them.
private struct OperationWrapper: StoreInstrument {
  var interests: InstrumentInterests { [.operations] }

  func record(_ event: InstrumentEvent) {}
  func wrapOperation(_ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody) async { await body() }
}

private enum Caller {
  @TaskLocal static var name = ""
}

/// An executor that checks a condition whenever it gets a job, and runs the job at once.
private final class ObservingExecutor: TaskExecutor {
  private let condition: @Sendable () -> Bool
  private let hasFailed = Atomic<Bool>(false)
  var isAlwaysMet: Bool { !hasFailed.load(ordering: .relaxed) }

  init(_ condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  func enqueue(_ job: consuming ExecutorJob) {
    if !condition() { hasFailed.store(true, ordering: .relaxed) }
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
