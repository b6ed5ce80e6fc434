import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("Middleware")
struct MiddlewareTests {
  @Test("Middleware runs from left to right, each with the action that the one before it let pass")
  func order() {
    let asked = Note<[String]>([])
    func step(_ name: String) -> Middleware<Board> {
      Middleware { _, action in
        asked.change { $0.append("\(name) \(action)") }
        if case .add(let number) = action { return .add(number * 10) }
        return action
      }
    }
    let store = BoardStore(state: Board(), env: Service(), middleware: [step("a"), step("b")])
    store.send(.add(1))
    #expect(asked.value == ["a add(1)", "b add(10)"])
    #expect(store.total == 100)
  }

  @Test("An action that middleware stops reaches neither later middleware nor the model")
  func stop() {
    let asked = Note(0)
    let store = BoardStore(state: Board(), env: Service())
    store.install(
      Middleware { state, action in
        if case .add = action, state.total >= 2 { nil } else { action }
      },
      Middleware { _, action in
        asked.change { $0 += 1 }
        return action
      })
    for _ in 0..<5 { store.send(.add(1)) }
    #expect(store.total == 2)
    #expect(asked.value == 2)
  }

  @Test("Middleware sees the actions of effects and of scopes")
  func allWays() async {
    let seen = Note<[Board.Action]>([])
    let store = BoardStore(
      state: Board(), env: Service(), middleware: [.observing { done in seen.change { $0.append(done.action) } }])
    await store.run(.load)
    store.scope(\.left, actions: Board.Action.left).send(.twice)
    #expect(
      seen.value == [.load, .loaded("text"), .left(.twice), .left(.increment), .left(.increment)])
  }

  @Test("Middleware adds its effects to those of the model")
  func handling() {
    let store = BoardStore(
      state: Board(), env: Service(),
      middleware: [
        .handling { state, action in
          if case .add = action { .send(.log("before: \(state.total)")) } else { .none }
        }
      ])
    store.send(.add(4))
    #expect(store.total == 4)
    #expect(store.lines == ["before: 0"])
  }

  @Test("Middleware adds its effects even if later middleware stops the action")
  func handlingWhatIsStopped() {
    let store = BoardStore(
      state: Board(), env: Service(),
      middleware: [
        .handling { _, action in
          if case .add = action { .send(.log("handled")) } else { .none }
        },
        Middleware { _, action in
          if case .add = action { nil } else { action }
        },
      ])
    store.send(.add(4))
    #expect(store.total == 0 && store.lines == ["handled"])
  }

  @Test("Observing middleware receives the states before and after in order, and may call the store")
  func observing() {
    let totals = Note<[[Int]]>([])
    let store = BoardStore(state: Board(), env: Service())
    store.install(
      .observing { [weak store] done in
        totals.change { $0.append([done.before.total, done.after.total]) }
        if done.after.total == 1 { store?.send(.add(10)) }
      })
    store.send([.add(1), .add(2)])
    #expect(totals.value == [[0, 1], [1, 3], [3, 13]])
  }

  @Test("Printing middleware prints the actions that its filter lets pass")
  func printing() {
    let lines = Note<[String]>([])
    let store = BoardStore(
      state: Board(), env: Service(),
      middleware: [.printing(where: { $0 != .keep }, to: { line in lines.change { $0.append(line) } })])
    store.send(.keep)
    store.send(.add(1))
    #expect(lines.value == ["add(1)"])
  }

  @Test("Removed middleware is no longer called, and the rest keeps its order")
  func removal() {
    let asked = Note<[String]>([])
    func step(_ name: String) -> Middleware<Board> {
      Middleware { _, action in
        asked.change { $0.append(name) }
        return action
      }
    }
    let store = BoardStore(state: Board(), env: Service(), middleware: [step("a")])
    let installation = store.install(step("b"), .observing { _ in asked.change { $0.append("told") } })
    store.install(step("c"))
    store.send(.add(1))
    installation.remove()
    store.send(.add(1))
    installation.remove()
    store.send(.add(1))
    #expect(asked.value == ["a", "b", "c", "told", "a", "c", "a", "c"])
    #expect(store.total == 3)
  }

  @Test("Middleware that reports transactions receives the name, the duration and the outcome of each", .simulated())
  func transactions() async throws {
    let simulation = try #require(Simulation.current)
    let reports = Note<[TransactionReport]>([])
    let store = BoardStore(
      state: Board(), env: Service(),
      middleware: [.reportingTransactions(on: simulation.clock) { report in reports.change { $0.append(report) } }],
      clock: simulation.clock, executor: simulation.executor, seed: 1)
    typealias Step = StateTransaction<Board, Service>
    let slow = store.begin(
      Step("slow") { draft in
        try await simulation.clock.sleep(until: simulation.clock.now.advanced(by: .seconds(2)))
        try draft.change { $0.total += 1 }
      })
    store.begin(Step("fails") { (_: inout Board) in throw Failure() })
    let cancelled = store.begin(
      Step("cancelled") { _ in
        try await simulation.clock.sleep(until: simulation.clock.now.advanced(by: .seconds(9)))
      })
    store.child(\.left).begin(StateTransaction("part") { $0.count += 1 })
    _ = await slow.outcome
    cancelled.cancel()
    _ = await cancelled.outcome
    #expect(
      Set(reports.value.map(\.description)) == [
        "fails [0.0 seconds] failed: Failure()", "part [0.0 seconds] completed", "slow [2.0 seconds] completed",
        "cancelled [2.0 seconds] cancelled",
      ])
    #expect(reports.value.first { $0.name == "slow" }?.id == slow.id)
  }

  @Test("Middleware stays installed when the store is deactivated and activated again")
  func activation() {
    let store = BoardStore(
      state: Board(), env: Service(), middleware: [Middleware { _, action in action == .keep ? .add(1) : action }])
    store.deactivate()
    store.activate()
    store.send(.keep)
    #expect(store.total == 1)
  }
}
