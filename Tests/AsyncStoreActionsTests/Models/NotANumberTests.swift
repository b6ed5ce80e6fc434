import AsyncStoreActions
import Testing

@Suite("Law 16: a NaN is the same value as the NaN before it")
struct NotANumberTests {
  struct Gauge: Model, Equatable {
    enum Action: Sendable { case add(Int) }

    var level = Double.nan
    var count = 0

    static func update(_ state: inout Gauge, _ action: Action) -> AsyncStore<Gauge, Void>.Effect {
      switch action {
      case .add(let number): state.count += number
      }
      return .none
    }
  }

  let store = StoreOf<Gauge>(state: Gauge(), env: ())

  @Test("The values of a part do not repeat a NaN that has not changed")
  func parts() async {
    let values = store.values(of: Part(\.level))
    store.send(.add(1))
    store.receive(.set(\.level, to: 1))
    store.receive(.set(\.level, to: .nan))
    store.send(.add(1))
    store.deactivate()
    var levels: [Double?] = []
    for await level in values { levels.append(level) }
    #expect(levels.map { $0?.isNaN ?? false } == [true, false, true])
  }

  @Test("A transaction that reads a NaN has no conflict if the NaN has not changed")
  func transactions() async {
    let run = store.begin(
      StateTransaction("count", attemptLimit: 1) { draft in
        let isKnown = !draft.level.isNaN
        try draft.change { $0.count += isKnown ? 2 : 1 }
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.count == 1)
  }

  @Test("An action log with a NaN in its state replays, and records no change without effect")
  func logs() throws {
    store.startRecording()
    store.send(.add(1))
    store.receive(.set(\.count, to: 1))
    let log = try #require(store.actionLog)
    #expect(log.changes.count == 1, "the change without an action changed nothing")
    #expect(try log.replay().count == 1)
  }

  @Test("A history has no step for a group that changes a state with a NaN and changes it back")
  func histories() {
    let history = store.undoHistory(of: \.self)
    history.group {
      store.send(.add(1))
      store.send(.add(-1))
    }
    #expect(!history.canUndo)
    store.send(.add(2))
    #expect(history.canUndo)
  }
}
