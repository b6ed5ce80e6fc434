import Synchronization
import Testing

@testable import AsyncStore

@Suite("Laws 21 and 22: waiting and inheriting")
struct WaitingLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 21

  @Test("Awaiting a handle returns when the whole attached tree has settled, with how it ended")
  func law21_outcome() {
    let store = harness.store()
    let handle = store.receive(
      .merge(.timer(.seconds(1), id: "t") { _ in .none }, .task { .task { .sleep(.seconds(2)) } }, .sleep(.seconds(1))))
    let outcome = harness.start { await handle.outcome.word }
    let another = harness.start { await handle.outcome.word }
    harness.advance(by: .milliseconds(1_999))
    #expect(!outcome.isFinished)
    #expect(!handle.isSettled)
    harness.advance(by: .milliseconds(1))
    #expect(outcome.value == "finished")
    #expect(another.value == "finished")
    #expect(handle.outcomeIfSettled?.isFinished == true)
    store.deactivate()
  }

  @Test("A waiter is resumed even if the detached rest ends between the last commit and the delivery")
  func law21_restEndsFirst() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(.timer(.seconds(9), id: "t") { _ in .none }, .sleep(.seconds(1)), .set(\.count, to: 1)))
    let outcome = harness.start { await handle.outcome.word }
    harness.settle()
    let other = harness.store()
    // A delivery ends the rest of the tree. It comes before the waiters.
    other.bind(id: "b", to: store, on: \.count) { [weak store] count in
      if count == 1 { store?.receive(.cancel("t")) }
      return .none
    }
    harness.advance(by: .seconds(1))
    #expect(outcome.value == "finished")
    other.deactivate()
    #expect(store.remains == [])
  }

  @Test("An effect that is over at once has its outcome at once")
  func law21_outcomeAtOnce() throws {
    let store = harness.store()
    for effect: Effect in [
      .none, .log("a"), .concatenate(.log("b"), .log("c")), .cancel("x"), .merge(.log("d"), .none),
    ] {
      let handle = store.receive(effect)
      #expect(handle.outcomeIfSettled?.isFinished == true)
      #expect(try harness.wait { await handle.outcome.word } == "finished")
    }
  }

  @Test("Cancelling a handle cancels the tree with the barrier")
  func law21_cancelByHandle() {
    let store = harness.store()
    let gate = Gate()
    let handle = store.receive(.concatenate(.logTask("never", after: gate), .log("never")))
    let other = store.receive(.logTask("other", after: gate))
    harness.settle()
    handle.cancel()
    handle.cancel()
    #expect(!handle.isSettled, "its operation has not returned")
    gate.open()
    harness.settle()
    #expect(store.log == ["other"])
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect(other.outcomeIfSettled?.isFinished == true)
    handle.cancel()
    #expect(store.remains == [])
  }

  @Test("Cancelling a handle ends detached parts too, also after the attached part has settled")
  func law21_cancelByHandleReachesDetachedParts() {
    let store = harness.store()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let handle = store.receive(
      .concatenate(.timer(.seconds(1), id: "t") { .log($0.index) }, .stream(stream) { .log("element \($0)") }))
    harness.advance(by: .seconds(1))
    #expect(handle.outcomeIfSettled?.isFinished == true)
    #expect(store.log == ["1"])
    handle.cancel()
    continuation.yield(1)
    harness.advance(by: .seconds(3))
    #expect(store.log == ["1"])
    #expect(store.remains == [])
  }

  @Test("Cancelling the waiting task does not end the wait")
  func law21_waitingIsNotCancelled() {
    let store = harness.store()
    let handle = store.receive(.sleep(.seconds(1)))
    let outcome = harness.start { await handle.outcome.word }
    harness.settle()
    outcome.cancel()
    harness.settle()
    #expect(!outcome.isFinished)
    harness.advance(by: .seconds(1))
    #expect(outcome.value == "finished")
  }

  @Test("`run` receives an effect and waits for it")
  func law21_run() {
    let store = harness.store()
    let run = harness.start { await store.run(.concatenate(.sleep(.seconds(1)), .fail("x"))).word }
    harness.advance(by: .milliseconds(999))
    #expect(!run.isFinished)
    harness.advance(by: .milliseconds(1))
    #expect(run.value == "failed: x")
  }

  @Test("`run` is cancelled with the calling task, and returns once its operations have returned")
  func law21_runIsCancelledWithItsTask() {
    let store = harness.store()
    let gate = Gate()
    let run = harness.start {
      await store.run(.merge(.timer(.seconds(1), id: "t") { _ in .log("never") }, .logTask("never", after: gate))).word
    }
    harness.settle()
    run.cancel()
    harness.settle()
    #expect(!run.isFinished)
    gate.open()
    harness.advance(by: .seconds(5))
    #expect(run.value == "cancelled")
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A mutation may cancel the task that waits for an effect of the same store")
  func law21_runIsCancelledInMutation() {
    let store = harness.store()
    let run = harness.start { await store.run(.sleep(.seconds(9))).word }
    harness.settle()
    store.receive(.concatenate(.set { _ in run.cancel() }, .log("behind")))
    #expect(store.remains == [] && store.log == ["behind"])
    harness.settle()
    #expect(run.value == "cancelled")
  }

  @Test("A run in a task that is already cancelled commits its prefix, and no more")
  func law21_runInACancelledTask() {
    let store = harness.store()
    let run = harness.start { await store.run(.concatenate(.log("prefix"), .sleep(.seconds(1)), .log("never"))).word }
    run.cancel()
    harness.advance(by: .seconds(5))
    #expect(run.value == "cancelled")
    #expect(store.log == ["prefix"])
  }

  // MARK: Law 22

  @TaskLocal static var value = 0

  struct Seen: Sendable, Hashable {
    var place: String
    var value: Int
    var priority: UInt8
  }

  /// An operation that notes the values that it inherits.
  func look(_ place: String, _ seen: Note<Set<Seen>>) -> Effect {
    .task {
      let here = Seen(place: place, value: Self.value, priority: Task.currentPriority.rawValue)
      seen.change { $0.insert(here) }
      return .none
    }
  }

  @Test(
    "Task-local values and priority hold after every kind of wait",
    arguments: [5, nil], [TaskPriority.utility, .high])
  func law22_everyOperationInherits(value: Int?, priority: TaskPriority) {
    let (store, otherStore) = (harness.store(), harness.store())
    let seen = Note<Set<Seen>>([])
    let failures = Note(0)
    let gate = Gate()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    @Sendable func look(_ place: String) -> Effect { self.look(place, seen) }
    let effects: [Effect] = [
      look("at once"), .concatenate(.sleep(.seconds(1)), look("after a sleep")),
      .concatenate(look("before"), .sleep(.seconds(1)), .sleep(.seconds(1)), look("after two sleeps")),
      Effect.concatenate(
        look("attempt"),
        .task {
          failures.change { $0 += 1 }
          if failures.value < 3 { throw Failure("x") }
          return look("last attempt")
        }
      ).retry(.constant(.seconds(1))),
      look("debounced").debounce(for: .seconds(1), id: "d"),
      .timer(.seconds(1), id: "t") { _ in look("tick") },
      .concatenate(.logTask("first", after: gate).id("q", .queue())),
      look("queued").id("q", .queue()), .concatenate(.join("q"), look("joined")),
      Effect.sleep(.seconds(99)).id("r", .queue()).id("holder"), look("behind a cancel").id("r", .queue()),
      look("throttled").throttle(for: .seconds(1), id: "x"), look("trailing").throttle(for: .seconds(1), id: "x"),
      Effect.sleep(.seconds(9)).timeout(.seconds(1), else: look("else")),
      .stream(stream) { _ in look("element") }, .fail("y").recover { _ in look("recovered") },
      .fail("z"), .merge(effects: (0..<3).map { look("limited \($0)") }, limit: 1),
      .concatenate(.task { .sleep(.seconds(1)) }, look("after a task's sleep")),
      .concatenate(.sleep(.seconds(1)), .lift(.concatenate(.sleep(.seconds(1)), look("lifted")), to: otherStore)),
    ]
    let hasReceived = Note(false)
    // Detached: it has no values but these.
    Task.detached(executorPreference: harness.executor, priority: priority) {
      if let value {
        Self.$value.withValue(value) { for effect in effects { _ = store.receive(effect) } }
      } else {
        for effect in effects { _ = store.receive(effect) }
      }
      hasReceived.value = true
    }
    harness.settle()
    #expect(hasReceived.value)
    // A call from another task, with another value and another priority.
    let other = harness.start(priority: .high) {
      Self.$value.withValue(7) {
        gate.open()
        continuation.yield(1)
        store.receive(.cancel("holder"))
      }
    }
    harness.settle()
    #expect(other.isFinished)
    Self.$value.withValue(9) { harness.advance(by: .seconds(10)) }
    let places = [
      "at once", "after a sleep", "before", "after two sleeps", "attempt", "last attempt", "debounced", "tick",
      "queued", "behind a cancel", "joined", "throttled", "trailing", "else", "element", "recovered", "limited 0",
      "limited 1", "limited 2", "lifted",
      "after a task's sleep",
    ]
    let expected = Set(places.map { Seen(place: $0, value: value ?? 0, priority: priority.rawValue) })
    #expect(seen.value.subtracting(expected) == [])
    #expect(expected.subtracting(seen.value) == [])
    store.deactivate()
  }

  @Test("A later operation has the priority of one that begins at once, in members of groups too")
  func law22_priorityOfMembers() {
    let store = harness.store()
    let seen = Note<Set<Seen>>([])
    let pairs: [(parent: TaskPriority, member: TaskPriority)] = [(.low, .high), (.medium, .background)]
    for (parent, member) in pairs {
      inMember(of: parent, member) {
        _ = store.receive(look("\(member), at once", seen))
        _ = store.receive(.concatenate(.sleep(.seconds(1)), look("\(member), later", seen)))
      }
    }
    // Its receiver is no member, but who frees its place is one.
    inMember(of: .medium, nil) {
      _ = store.receive(.sleep(.seconds(9)).id("q", .queue()).id("holder"))
      _ = store.receive(look("medium, later", seen).id("q", .queue()))
    }
    inMember(of: .medium, .background) { _ = store.receive(.cancel("holder")) }
    harness.advance(by: .seconds(1))
    var expected = [Seen(place: "medium, later", value: 0, priority: TaskPriority.medium.rawValue)]
    for (_, member) in pairs {
      for time in ["at once", "later"] {
        expected.append(Seen(place: "\(member), \(time)", value: 0, priority: member.rawValue))
      }
    }
    #expect(seen.value == Set(expected))
  }

  /// Calls `body` in a member of a task group, in a task without task-local values.
  ///
  /// While it runs, the member's current priority is at least the group's; what it makes inherits its own.
  private func inMember(of parent: TaskPriority, _ member: TaskPriority?, _ body: @escaping @Sendable () -> Void) {
    Task.detached(executorPreference: harness.executor, priority: parent) {
      await withTaskGroup { group in group.addTask(priority: member) { body() } }
    }
    harness.settle()
  }

  @Test("Each tree has the values of its own receiver")
  func law22_treesDontMix() {
    let store = harness.store()
    for number in 1...20 {
      Self.$value.withValue(number) {
        _ = store.receive(
          .concatenate(
            .sleep(.seconds(1)), .task { .log(Self.value) }, .sleep(.seconds(1)), .task { .log(-Self.value) }))
      }
    }
    harness.advance(by: .seconds(2))
    #expect(store.log == (1...20).map { "\($0)" } + (1...20).map { "\(-$0)" })
  }

  @Test("An effect received inside an operation has that operation's values")
  func law22_nestedReceive() {
    let (store, other) = (harness.store(), harness.store())
    Self.$value.withValue(5) {
      _ = store.receive(
        .task {
          Self.$value.withValue(6) {
            _ = other.receive(.concatenate(.sleep(.seconds(1)), .task { .log(Self.value) }))
          }
          return .lift(.concatenate(.sleep(.seconds(1)), .task { .log(Self.value) }), to: other)
        })
    }
    harness.advance(by: .seconds(1))
    #expect(other.log == ["6", "5"])
  }

  @Test("A finally of a cancelled tree has the tree's task-local values after a wait")
  func finallyLocals() {
    let store = harness.store()
    let handle = Self.$value.withValue(7) {
      store.receive(
        .sleep(.seconds(9)).finally(
          .concatenate(.task { .log("a \(Self.value)") }, .sleep(.seconds(1)), .task { .log("b \(Self.value)") })))
    }
    handle.cancel()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["a 7", "b 7"])
  }

  @Test("The effect of a cancelled tree's error has the tree's task-local values after a wait")
  func mappedLocals() {
    let store = harness.store(mapError: { _ in .concatenate(.sleep(.seconds(1)), .task { .log("\(Self.value)") }) })
    let gate = Gate()
    let handle = Self.$value.withValue(7) {
      store.receive(
        .task {
          try await gate.waitUnlessCancelled()
          return .none
        })
    }
    harness.settle()
    handle.cancel()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["7"])
  }

  @Test("The cancel of the last member of a concatenate is not a cancel of the whole")
  func law21_cancelOfTheLastPartIsNotOfTheWhole() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")))
    store.receive(.cancel("pause"))
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A tree whose first part was committed was not dropped")
  func law21_whatHasBegunWasNotDropped() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).id("a"))
    let handle = store.receive(.concatenate(.log("1"), .log("2").id("a", .keepFirst)))
    #expect(store.log == ["1"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A tree whose last part has a label and was committed was not dropped, whatever does nothing behind it")
  func law21_labelledPartWasNotDropped() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).id("a"))
    let refused = Effect.log("1").id("a", .keepFirst)
    let handle = store.receive(.concatenate(refused, .log("2").label("last"), .none))
    #expect(store.log == ["2"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    let nothing = store.receive(.concatenate(refused.label("refused"), .none))
    #expect(nothing.outcomeIfSettled?.word == "dropped")
  }

  // MARK: Waiting for a value

  /// Runs nothing.
  final class BusyExecutor: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Runs the jobs that have arrived meanwhile.
    func end() {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  actor Owner {
    let executor = BusyExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  }

  @Test("A wait finds a value that is there while the store's actor is busy", .timeLimit(.minutes(1)))
  func waitOnBusyActor() async throws {
    let owner = Owner()
    let store = JournalStore(state: Journal(), env: (), isolation: owner)
    try await store.wait(for: \.count, toEqual: 0)
    owner.executor.end()
  }

  @Test("A wait finds a value that is there while another thread is busy with a mapping")
  func waitBesideBusyThread() async throws {
    let (store, down) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
    let (hasBegun, isOver) = (Gate(), Note(false))
    down.bind(id: "b", to: store, on: \.count) { count in
      if count == 1 {
        hasBegun.open()
        while !isOver.value { Thread.yield() }
      }
      return .none
    }
    async let committing: Void = Stress.onThreads(1) { _ in store.receive(.set(\.count, to: 1)) }
    await hasBegun.wait()
    try await store.wait(for: \.count, toEqual: 1)
    // The wait sees a commit during the delivery when its time is up at the latest.
    store.receive(.set(\.count, to: 2))
    try await store.wait(for: \.count, toEqual: 2, timeout: .milliseconds(50))
    isOver.value = true
    await committing
  }
}
