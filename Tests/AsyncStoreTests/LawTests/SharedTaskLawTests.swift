import Synchronization
import Testing

@testable import AsyncStore

/// The task of an operation that has returned goes on with the next of its tree, which has to make no difference.
@Suite("Laws 8, 11, 21, 22 and 23, where operations share a task", .timeLimit(.minutes(1)))
struct SharedTaskLawTests {
  typealias Effect = JournalStore.Effect

  let harness = Harness()

  /// The tasks that operations ran in, by their hash values.
  private let tasks = Note<[Int]>([])

  private func noteTask() -> Effect {
    .task { [tasks] in
      let hash = withUnsafeCurrentTask { $0?.hashValue ?? 0 }
      tasks.change { $0.append(hash) }
      return .none
    }
  }

  private func untilCancelled(_ begun: Gate = Gate(), then effect: Effect = .none) -> Effect {
    .task {
      begun.open()
      try? await Gate().waitUnlessCancelled()
      return effect
    }
  }

  private func logCancelled() -> Effect { .task { .log("\(Task.isCancelled)") } }

  @Test("The operations of a sequence, each with a time limit and retries, take one task")
  func sharedBySequence() {
    let store = harness.store()
    let step = noteTask().timeout(.seconds(1), else: .log("late")).retry(.constant(.seconds(1)))
    store.receive(.sequence(step, .log("between"), step.compensated(by: .log("undone")), step))
    harness.settle()
    #expect(Set(tasks.value).count == 1)
    #expect(tasks.value.count == 3)
    #expect(store.log == ["between"])
  }

  @Test("Members that begin together run beside each other")
  func sharedWithMerge() {
    let store = harness.store()
    let (first, second) = (Gate(), Gate())
    store.receive(
      .concatenate(noteTask(), .merge(.logTask("first", after: first), .logTask("second", after: second))))
    harness.settle()
    #expect((first.waiterCount, second.waiterCount) == (1, 1))
    second.open()
    harness.settle()
    first.open()
    harness.settle()
    #expect(store.log == ["second", "first"])
  }

  @Test("A cancel ends only the operation that it names, whichever of them has the task", arguments: ["a", "b"])
  func law08_cancelOfOne(name: String) {
    let store = harness.store()
    let members = ["a", "b"].map { name in untilCancelled(then: .log("not dropped")).id(name) }
    store.receive(.concatenate(noteTask(), .merge(effects: members)))
    harness.settle()
    store.receive(.cancel(EffectID(name)))
    harness.settle()
    #expect(store.inFlight.count == 1)
    store.receive(.cancelAll())
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("An operation behind a cancelled one is not cancelled")
  func law08_behindCancelled() {
    let store = harness.store()
    store.receive(
      .sequence(noteTask(), .concatenate(noteTask(), untilCancelled().id("x"), logCancelled())))
    harness.settle()
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["false"])
  }

  @Test("A clean-up and a compensation of a cancelled sequence don't run in its cancelled task")
  func law08_cleanup() {
    let store = harness.store()
    store.receive(
      .sequence(noteTask().compensated(by: logCancelled()), untilCancelled().finally(logCancelled())).id("x"))
    harness.settle()
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["false", "false"])
  }

  @Test("A time limit of the next operation cancels that one alone")
  func law08_timeLimit() {
    let store = harness.store()
    store.receive(
      .sequence(
        noteTask(), untilCancelled(then: .log("dropped")).timeout(.seconds(1), else: logCancelled()), noteTask()))
    harness.settle()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["false"])
    #expect(tasks.value.count == 2)
  }

  @Test("An operation begins in a task of its own where that of the one before has to step an effect without an end")
  func law11_besideEndlessEffect() async {
    let store = JournalStore(state: Journal(), env: (), executor: ThreadExecutor())
    let endless = EndlessEffect()
    let limited = endless.operation().timeout(.seconds(3_600), else: .none)
    let outcome = await store.run(.concatenate(noteTask(), .merge(limited, endless.count())))
    #expect(outcome.isFinished)
    #expect(store.log == ["operation"] && store.other < EndlessEffect.limit)
    #expect(store.remains == [])
  }

  @Test("A set of a sequence may hold an object that calls the store when it goes", arguments: 0..<3)
  func lettingGoOfSets(place: Int) {
    final class Farewell: Sendable {
      let store: JournalStore
      init(_ store: JournalStore) { self.store = store }
      deinit { store.receive(.set { $0.other += 1 }) }
    }
    let store = harness.store()
    func set() -> Effect {
      let object = Farewell(store)
      return .set { state in withExtendedLifetime(object) { state.count += 1 } }
    }
    func members() -> [Effect] { (0..<3).map { $0 == place ? noteTask() : set() } }
    store.receive(.sequence(effects: members()))
    store.receive(.concatenate(noteTask(), .sequence(effects: members())))
    harness.settle()
    #expect((store.count, store.other) == (4, 4))
    #expect(store.remains == [])
  }

  @Test("An operation that cancels its own task cancels neither the next attempt nor the next member of a sequence")
  func law08_taskThatCancelsItself() {
    let store = harness.store()
    let calls = Note(0)
    let operation = Effect.task {
      calls.change { $0 += 1 }
      if calls.value > 1 { return .log("\(Task.isCancelled)") }
      withUnsafeCurrentTask { $0?.cancel() }
      throw Failure("x")
    }
    let last = Effect.task {
      withUnsafeCurrentTask { $0?.cancel() }
      return .none
    }
    store.receive(.sequence(operation.retry(.constant(.zero).limitedTo(attempts: 2)), last, logCancelled()))
    harness.settle()
    #expect(store.log == ["false", "false"])
  }

  @Test("Attempts without a pause let others of their executor have a turn")
  func attemptsWithoutPause() {
    let store = harness.store()
    let isOver = Note(false)
    let attempt = Effect.task {
      if !isOver.value { throw Failure("not yet") }
      return .log("over")
    }
    store.receive(attempt.retry(.constant(.zero)))
    store.receive(
      .task {
        isOver.value = true
        return .none
      })
    harness.settle()
    #expect(store.log == ["over"])
    #expect(store.remains == [])
  }

  @Test("The next operation has the task-local values of its tree", arguments: [false, true])
  func law22_values(isTraced: Bool) {
    let store = harness.store(instrument: isTraced ? WrappingInstrument() : nil)
    Caller.$name.withValue("receiver") {
      _ = store.receive(.sequence(.task { .log(Caller.name) }, .log("set"), .task { .log(Caller.name) }))
    }
    harness.settle()
    let name = isTraced ? "wrapped" : "receiver"
    #expect(store.log == [name, "set", name])
  }

  @Test("Very many operations in a row need no stack")
  func law23_longChain() async throws {
    let store = JournalStore(state: Journal(), env: ())
    let count = TestSize.nodes
    let step = Effect.task { .set { $0.count += 1 } }
    let outcome = await store.run(.sequence(effects: (0..<count).map { _ in step.timeout(.seconds(60), else: .none) }))
    #expect(outcome.isFinished)
    #expect(store.count == count)
    #expect(store.remains == [])
  }
}

private enum Caller {
  @TaskLocal static var name = ""
}

/// An instrument that binds a task-local value around each operation.
private struct WrappingInstrument: StoreInstrument {
  var interests: InstrumentInterests { [.operations] }

  func record(_ event: InstrumentEvent) {}

  func wrapOperation(
    _ record: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome
  ) async {
    await Caller.$name.withValue("wrapped") { _ = await body() }
  }
}
