import Testing

@testable import AsyncStore

/// A lone operation ends with the cancel then; if anything else follows from its end, it ends when its task starts.
@Suite("Laws 6, 8, 10, 13 and 22: operations that are cancelled before their tasks have started")
struct UnstartedOperationLawTests {
  typealias Effect = JournalStore.Effect
  private enum Reader { @TaskLocal static var name = "" }
  let harness = Harness()

  @Test("A lone operation cancelled before its task has started ends with the cancel, and its captures are released")
  func law08_aLoneOneEndsWithTheCancel() {
    let store = harness.store()
    weak var captured: Note<Bool>?
    func receive() -> EffectHandle {
      let ran = Note(false)
      captured = ran
      return store.receive(
        .task(id: "a") {
          ran.value = true
          return .log("never")
        })
    }
    let handle = receive()
    #expect(captured != nil)
    store.receive(.cancel("a"))
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.inFlight.isEmpty)
    #expect(captured == nil)
    // Its task starts, and finds nothing to do.
    #expect(harness.runnableCount == 1)
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test(
    "Many lone operations end with the cancel, whatever cancels them", arguments: ["all", "prefix", "handles", "store"])
  func law08_everyCancelEndsThem(way: String) {
    let store = harness.store()
    let ran = Note(0)
    let handles = (0..<10).map { number in
      store.receive(
        .task {
          ran.value += 1
          return .log("never")
        }
        .id(EffectID("many").appending(number)))
    }
    switch way {
    case "all": store.receive(.cancelAll())
    case "prefix": store.receive(.concatenate(.cancel(prefix: "many"), .log("after")))
    case "handles": for handle in handles { handle.cancel() }
    default: store.deactivate()
    }
    for handle in handles { #expect(handle.outcomeIfSettled?.word == "cancelled") }
    #expect(store.inFlight.isEmpty)
    harness.settle()
    #expect(ran.value == 0)
    #expect(store.log == (way == "prefix" ? ["after"] : []))
    #expect(store.remains == [])
  }

  @Test("An operation whose end sets something off ends when its task starts, with the values of its receiver")
  func law22_whatFollowsHasTheValuesOfItsReceiver() {
    let store = harness.store()
    let user = Note("")
    let follower = Effect.task {
      user.value = Reader.name
      return .log("follower")
    }
    Reader.$name.withValue("receiver") {
      _ = store.receive(.concatenate(.logTask("never").id("a"), follower))
      _ = store.receive(
        Effect.logTask("never").finally(
          .update { state in
            state.log.append("cleanup")
            return .none
          }
        ).id("a", .atMost(2)))
    }
    Reader.$name.withValue("canceller") { _ = store.receive(.cancel("a")) }
    #expect(store.log == [])
    harness.settle()
    #expect(store.log == ["cleanup", "follower"])
    #expect(user.value == "receiver")
    #expect(store.remains == [])
  }

  @Test("The cleanups of operations that have not started run one after the other, each in its order")
  func law06_cleanupsOfSeveral() {
    let store = harness.store()
    func note(_ line: String) -> Effect {
      .update {
        $0.log.append(line)
        return .none
      }
    }
    let ran = Note(false)
    let saving = Effect.task(id: "save") {
      ran.value = true
      return .none
    }
    store.receive(
      .merge(
        Effect.logTask("never").finally(note("a1")),
        Effect.logTask("never").finally(.concatenate(.log("b1"), note("b2"), .log("b3"))),
        Effect.logTask("never").finally(.merge(saving, .cancel("save")))
      )
      .id("x"))
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["a1", "b1", "b2", "b3"])
    #expect(!ran.value)
    #expect(store.remains == [])
  }

  @Test("A join that an update behind the cancel returns does not wait for the task of what has been cancelled")
  func law08_joinBehindTheCancel() {
    let store = harness.store()
    store.receive(Effect.logTask("never").id("a"))
    store.receive(
      .concatenate(
        .cancel("a"),
        .update {
          $0.log.append("asked")
          return .concatenate(.join("a"), .log("joined"))
        }))
    #expect(store.log == ["asked", "joined"])
    harness.settle()
    #expect(store.log == ["asked", "joined"])
    #expect(store.remains == [])
  }

  @Test("The cleanup of a replaced effect comes after the new one, however long that is")
  func law10_cleanupComesAfterTheNewEffect() {
    let store = harness.store()
    store.receive(Effect.logTask("never").finally(Effect.log("end").id("edit")).id("edit"))
    store.receive(Effect.concatenate(effects: (1...3_000).map { .set(\.count, to: $0) }).id("edit"))
    harness.settle()
    #expect(store.count == 3_000)
    #expect(store.log == ["end"])
    #expect(store.remains == [])
  }

  @Test(
    "The cleanup of a replaced lift comes after the new effect, though its operation is all of its tree elsewhere")
  func law10_cleanupOfALiftComesAfterTheNewEffect() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(Effect.lift(.logTask("never"), to: other).finally(.log("cleanup")).id("edit"))
    store.receive(.log("new").id("edit"))
    #expect(store.log == ["new"])
    harness.settle()
    #expect(store.log == ["new", "cleanup"])
    #expect(other.log == [])
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("Effects that wait for a cancelled operation, in line or by a join, continue when its task starts")
  func law10_placesAndJoinsWaitForTheTask() {
    let store = harness.store()
    let first = store.receive(Effect.logTask("never").id("queue", .queue()))
    store.receive(.log("next").id("queue", .queue()))
    store.receive(Effect.logTask("never").id("joined"))
    store.receive(.concatenate(.join("joined"), .log("joined")))
    first.cancel()
    store.receive(.cancel("joined"))
    #expect(store.log == [])
    harness.settle()
    #expect(store.log == ["next", "joined"])
    #expect(store.remains == [])
  }

  @Test(
    "An operation that a deadline cancels is in flight at the next deadline, even if the alarm is late",
    arguments: [false, true])
  func law13_cancelAtADeadline(isLate: Bool) {
    let (clock, executor) = (HandClock(), HandExecutor())
    let store = JournalStore(state: Journal(), env: (), clock: clock, executor: executor)
    store.receive(.concatenate(.sleep(.seconds(1)), .cancel("a")))
    store.receive(.concatenate(.sleep(.seconds(2)), .log("dropped").id("a", .keepFirst)))
    executor.run()
    let handle = store.receive(.logTask("never").id("a"))
    if !isLate {
      clock.pass(to: .seconds(1))
      clock.wake(.seconds(1))
      executor.run(leaving: 1)
    }
    clock.pass(to: .seconds(2))
    clock.wake(isLate ? .seconds(1) : .seconds(2))
    executor.run(leaving: 1)
    #expect(store.log == [])
    #expect(handle.outcomeIfSettled == nil)
    executor.run()
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.log == [])
    #expect(store.remains == [])
  }
}
