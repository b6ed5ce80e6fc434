import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("An expected event")
struct ExpectedEventTests {
  typealias Effect = AsyncStore<Int, Void>.Effect

  /// An operation that fails as often as a number says, one try after the other, and then does not.
  private func failing(_ times: Int) -> Effect {
    let left = Note(times)
    return .task {
      left.change { $0 -= 1 }
      if left.value >= 0 { throw Failure("no") }
      return .none
    }
  }

  @Test("A passed time limit may be expected before what it leads to, and need not be asserted")
  func timedOut() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      let load = Effect.sleep(.seconds(9)).id("load").timeout(.seconds(2), else: .sleep(.seconds(1)).id("else"))
      for isAsserted in [false, true] {
        store.receive(load.label("limited"))
        store.expect(.begun("load"))
        if isAsserted {
          await store.expect(.timedOut("limited"), after: .seconds(2))
        } else {
          await simulation.clock.advance(by: .seconds(2))
        }
        store.expect(.cancelled("load"), .begun("else"))
        await simulation.clock.run()
        if isAsserted { store.expect(.settled("else")) }
      }
      store.receive(load)
      await simulation.clock.run()
      store.expect(.begun("load"), .timedOut(.kind(.timeout)), .cancelled("load"), .begun("else"))
    }
  }

  @Test("A failed attempt that another one follows may be expected, and need not be asserted")
  func backedOff() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      for isAsserted in [false, true] {
        let effect = failing(2).retry(.constant(.seconds(3)))
        store.receive(effect.id("retry"))
        await simulation.settle()
        store.expect(.begun("retry"))
        if isAsserted {
          store.expect(.backedOff("retry"))
          await store.expect(.backedOff(.kind(.retry)), after: .seconds(3))
        }
        await simulation.clock.run()
        store.expect(.begun("retry"), .begun("retry"))
      }
      let failures = Note(1)
      let retrying = Effect.task(retrying: .constant(.zero)) { _ in
        failures.change { $0 -= 1 }
        if failures.value >= 0 { throw Failure("no") }
        return .none
      }
      for (effect, id) in [(failing(1).retry(.constant(.zero)).id("retry"), "retry"), (retrying.id("task"), "task")] {
        store.receive(effect)
        await simulation.clock.run()
        store.expect(.begun(.id(id)), .backedOff(.id(id)), .begun(.id(id)), .settled(.id(id)))
      }
    }
  }

  @Test("A failure names an expected event that has not happened, or not in this order")
  func absent() async throws {
    try await expectIssues(containing: ["This has not happened: timed out load.", "begun [load] sleep"], from: 0) {
      store, simulation in
      store.receive(.sleep(.seconds(1)).id("load").timeout(.seconds(2)))
      await simulation.clock.run()
      store.expect(.timedOut("load"))
      store.expect(.begun("load"))
    }
    try await expectIssues(containing: ["This has not happened: backed off load."], from: 0) { store, simulation in
      store.receive(.task { .none }.retry(.constant(.seconds(1))).id("load"))
      await simulation.clock.run()
      store.expect(.begun("load"))
      store.expect(.backedOff("load"))
    }
    try await expectIssues(containing: ["This has not happened: timed out any.", "timed out timeout"], from: 0) {
      store, simulation in
      store.receive(.sleep(.seconds(9)).id("load").timeout(.seconds(2)))
      await simulation.clock.run()
      store.expect(.begun("load"), .cancelled("load"), .timedOut(.any))
      store.expect(.begun("load"), .cancelled("load"))
    }
  }
}
