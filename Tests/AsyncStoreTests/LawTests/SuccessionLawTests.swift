import Synchronization
import Testing

@testable import AsyncStore

/// Operations that follow each other may share a task, which has to make no difference.
@Suite("Laws 8, 11, 22 and 23, where operations follow each other")
struct SuccessionLawTests {
  typealias Effect = JournalStore.Effect

  let harness = Harness()

  private func operation() -> Effect { .task { .none } }

  private func untilCancelled() -> Effect {
    .task {
      try? await Gate().waitUnlessCancelled()
      return .none
    }
  }

  private func logCancelled() -> Effect { .task { .log("\(Task.isCancelled)") } }

  @Test("An operation behind a cancelled one is not cancelled")
  func law08_behindCancelled() {
    let store = harness.store()
    store.receive(
      .sequence(operation(), .concatenate(operation(), untilCancelled().id("x"), logCancelled())))
    harness.settle()
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["false"])
  }

  @Test("An operation begins though an effect beside it has no end")
  func law11_besideEndlessEffect() async {
    let store = JournalStore(state: Journal(), env: (), executor: ThreadExecutor())
    let endless = EndlessEffect()
    let limited = endless.operation().timeout(.seconds(3_600), else: .none)
    let outcome = await store.run(.concatenate(operation(), .merge(limited, endless.count())))
    #expect(outcome.isFinished)
    #expect(store.log == ["operation"] && store.other < EndlessEffect.limit)
    #expect(store.remains == [])
  }

  @Test("An operation begins though what an observer of the last commit begins has no end", arguments: [true, false])
  func law11_besideEndlessBinding(isLimited: Bool) async {
    let store = JournalStore(state: Journal(), env: (), executor: ThreadExecutor())
    // The operation begins after 65,000 steps, and its thread has to come by then.
    let (observer, endless) = (harness.store(), EndlessEffect(limit: 3_000_000))
    observer.bind(id: "endless", to: store, on: \.count) { $0 == 0 ? .none : endless.count() }
    let next = isLimited ? endless.operation().timeout(.seconds(3_600), else: .none) : endless.operation()
    await store.run(.concatenate(.task { .set { $0.count = 1 } }, next))
    #expect(store.log == ["operation"] && observer.other < endless.limit)
    #expect(store.remains == [])
  }

  @Test(
    "An operation that is cancelled while it waits for a very long delivery never runs",
    arguments: [10, InlineWorkLimit.items - 5_000], [false, true])
  func law08_cancelledBehindLongDelivery(step: Int, isLimited: Bool) {
    let (store, observer) = (harness.store(), harness.store())
    observer.bind(id: "b", to: store, on: \.count) { count in
      guard count == 1 else { return .none }
      return .concatenate(
        effects: (1...InlineWorkLimit.items - 500).map { number in
          .update { _ in
            number == step ? .lift(.cancel("x"), to: store) : .none
          }
        })
    }
    let hasBegun = Note(false)
    let operation = Effect.task {
      hasBegun.value = true
      return .log("never")
    }
    let next = isLimited ? operation.timeout(.seconds(9), else: .log("late")) : operation
    let handle = store.receive(.concatenate(.task { .set { $0.count = 1 } }, next).id("x"))
    harness.advance(by: .seconds(10))
    #expect(!hasBegun.value && store.log == [])
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect(store.remains == [])
  }

  @Test("A very long effect of a binding's value comes before that of the next one, whatever commits the values")
  func law17_longValue() {
    let set = { @Sendable (count: Int) in Effect.set { $0.count = count } }
    let ways: [Effect] = [
      .concatenate(.task { set(1) }, .task { set(2) }), .task { .concatenate(set(1), set(2)) },
      .concatenate(.sleep(.seconds(1)), set(1), .sleep(.seconds(1)), set(2)),
    ]
    for way in ways {
      let (store, bound) = (harness.store(), harness.store())
      bound.bind(id: "b", to: store, on: \.count) { count in
        let steps = count == 1 ? (1...InlineWorkLimit.items + 4_000).map { _ in Effect.update { _ in .none } } : []
        return .concatenate(effects: steps + [.log("\(count)")])
      }
      store.receive(way)
      harness.advance(by: .seconds(2))
      #expect(bound.log == ["0", "1", "2"])
    }
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
    func members() -> [Effect] { (0..<3).map { $0 == place ? operation() : set() } }
    store.receive(.sequence(effects: members()))
    store.receive(.concatenate(operation(), .sequence(effects: members())))
    harness.settle()
    #expect((store.count, store.other) == (4, 4))
    #expect(store.remains == [])
  }

  @Test("The steps of one tree run in one task, if only one is begun at a time")
  func law23_oneTask() {
    let store = harness.store()
    let tasks = Note<[UInt]>([])
    let step = Effect.task {
      tasks.change { $0.append(Thread.currentTask) }
      return .none
    }
    let limited = step.timeout(.seconds(2), else: .none).retry(.constant(.zero).limitedTo(attempts: 3))
    store.receive(.sequence(limited.compensate(with: step), limited, limited.finally(step)))
    harness.settle()
    #expect(tasks.value.count == 4)
    #expect(Set(tasks.value).count == 1)
    // The last of three that begin together stays in the task.
    tasks.value = []
    store.receive(.concatenate(step, .merge(limited.id("a"), limited, limited.id("c"))))
    harness.settle()
    #expect(tasks.value.count == 4)
    #expect(Set(tasks.value).count == 3)
    #expect(store.remains == [])
  }

  @Test("A cancel asks an operation to end that runs in the task of the one before it")
  func law07_successorIsAsked() {
    let store = harness.store()
    store.receive(.concatenate(operation(), untilCancelled().timeout(.seconds(1_000), else: .none).id("x")))
    harness.settle()
    #expect(store.inFlight.contains { $0.identifier == "x" })
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("An operation that has left its task to the next one before it was asked to end is not asked any more")
  func law08_askedTooLate() {
    let store = harness.store()
    let (first, second, third, harness) = (Gate(), Gate(), Gate(), harness)
    let before = Effect.task {
      await withTaskCancellationHandler {
        await first.wait()
      } onCancel: {
        // Before the other one is asked to end, it ends, and the next one begins.
        second.open()
        harness.settle()
      }
      return .none
    }
    let ending = Effect.task {
      await second.wait()
      return .none
    }
    let next = Effect.task {
      await third.wait()
      return .log("\(Task.isCancelled)")
    }
    store.receive(
      .merge(before.id("a"), .concatenate(ending.id("b"), next.timeout(.seconds(1_000), else: .none))))
    harness.settle()
    store.receive(.merge(.cancel("a"), .cancel("b")))
    #expect(third.waiterCount == 1)
    for gate in [first, third] { gate.open() }
    harness.settle()
    #expect(store.log == ["false"])
    #expect(store.remains == [])
  }

  @Test("An operation that is cancelled in the step that begins it never runs in the task of the one before")
  func law08_cancelledInItsStep() {
    let store = harness.store()
    let hasRun = Note(false)
    let cancelled = Effect.task {
      hasRun.value = true
      return .none
    }
    store.receive(
      .concatenate(
        operation(), .merge(cancelled.timeout(.seconds(1_000), else: .none).id("x"), .cancel("x"))))
    harness.settle()
    #expect(!hasRun.value)
    #expect(store.remains == [])
  }

  @Test("An operation that cancels its own task cancels neither the next attempt nor the list that it returns")
  func law08_taskThatCancelsItself() {
    let store = harness.store()
    let (calls, last) = (Note(0), logCancelled())
    let attempt = Effect.task {
      calls.change { $0 += 1 }
      if calls.value > 1 { return .log("\(Task.isCancelled)") }
      withUnsafeCurrentTask { $0?.cancel() }
      throw Failure("x")
    }
    let second = Effect.task {
      withUnsafeCurrentTask { $0?.cancel() }
      return .concatenate(last, last)
    }
    store.receive(.sequence(attempt.retry(.constant(.zero).limitedTo(attempts: 2)), second))
    harness.settle()
    #expect(store.log == ["false", "false", "false"])
  }

  @Test("Operations that may never end let others of their executor have a turn", arguments: Endless.allCases)
  func endlessOperations(_ endless: Endless) {
    let store = harness.store()
    let (isOver, count) = (Note(false), Note(0))
    store.receive(
      endless.effect {
        count.change { $0 += 1 }
        // The limit is for a loop that never gives way.
        return isOver.value || count.value > 1_000
      })
    store.receive(
      .task {
        isOver.value = true
        return .none
      })
    harness.settle()
    #expect(count.value <= (endless == .limitedSteps ? 33 : 65))
    #expect(store.log == ["over"])
    #expect(store.remains == [])
  }

  enum Endless: CaseIterable {
    case steps, limitedSteps, attempts, attemptsOfOperation, tail

    func effect(_ isOver: @escaping @Sendable () -> Bool) -> Effect {
      let attempt = Effect.task {
        if !isOver() { throw Failure("not yet") }
        return .log("over")
      }
      @Sendable func loop(behind first: Effect?) -> Effect {
        let next = Effect.task { isOver() ? .log("over") : loop(behind: first) }
        return first.map { .concatenate($0, next) } ?? next
      }
      return switch self {
      case .steps: loop(behind: .set { $0.count += 1 })
      case .limitedSteps: loop(behind: Effect.task { .none }.timeout(.seconds(60), else: .none))
      case .attempts: attempt.retry(.constant(.zero))
      case .attemptsOfOperation:
        .task(retrying: .constant(.zero)) { _ in
          if !isOver() { throw Failure("not yet") }
          return .log("over")
        }
      case .tail: loop(behind: nil)
      }
    }
  }

  @Test(
    "The next operation has the task-local values of its tree, and is wrapped as the one before it",
    arguments: [false, true], [false, true])
  func law22_values(isTraced: Bool, isOfOtherFiber: Bool) {
    let store = harness.store(instrument: isTraced ? WrappingInstrument() : nil)
    let step = Effect.task { .log(Caller.name) }
    let next = isOfOtherFiber ? step.timeout(.seconds(1_000), else: .none) : step
    Caller.$name.withValue("receiver") { _ = store.receive(.sequence(step, .log("set"), next)) }
    harness.settle()
    let name = isTraced ? "wrapped" : "receiver"
    #expect(store.log == [name, "set", name])
  }

  @Test("A shutdown between two steps that would share a task begins no more of them")
  func law21_shutdownBetweenSteps() {
    let store = harness.store()
    let step = Effect.task { .log("step") }.timeout(.seconds(1_000), else: .none)
    // The observer is told of the first step's commit before the next step begins.
    let up = harness.store()
    up.bind(id: "b", to: store, on: \.log) { log in
      if log.count == 1 { store.deactivate() }
      return .none
    }
    store.receive(.sequence(step, step.finally(.log("cleanup"))))
    harness.settle()
    #expect(store.log == ["step"])
    #expect(store.inFlight.isEmpty)
    #expect(store.remains == [])
  }

  @Test("Very many operations in a row need no stack")
  func law23_longChain() {
    let store = harness.store()
    let count = TestSize.nodes
    let step = Effect.task { .set { $0.count += 1 } }
    store.receive(.sequence(effects: (0..<count).map { _ in step.timeout(.seconds(60), else: .none) }))
    harness.settle()
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
    _ record: EffectRecord, of store: StoreIdentity, _ body: OperationBody
  ) async {
    await Caller.$name.withValue("wrapped") { _ = await body() }
  }
}
