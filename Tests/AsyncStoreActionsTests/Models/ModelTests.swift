import AsyncStoreActions
import Testing

@Suite("A store of a model")
struct ModelTests {
  let store = BoardStore()

  @Test("A store of a model has changed its state when `send` returns")
  func sendIsSynchronous() {
    let handle = store.send(.add(2))
    #expect(store.total == 2)
    #expect(handle.isSettled)
  }

  @Test("A store of a model applies actions in the order in which they are sent")
  func order() {
    for line in ["a", "b", "c"] { store.send(.log(line)) }
    store.send([.log("d"), .log("e")])
    #expect(store.lines == ["a", "b", "c", "d", "e"])
  }

  @Test("A store of a model waits for an action's effects, which send further actions")
  func effects() async {
    let outcome = await store.run(.load)
    #expect(outcome.isFinished)
    #expect(store.lines == ["text"])
  }

  @Test("An effect that sends actions does so in its place among other effects")
  func sendIsAnEffect() async {
    await store.run(
      .concatenate(.send(.log("a")), .task { .send(.log("b")) }, .send([.log("c"), .add(1)])))
    #expect(store.lines == ["a", "b", "c"])
    #expect(store.total == 1)
  }

  @Test("Several actions sent at once are one commit, which observers see once")
  func severalActions() {
    let down = AsyncStore(state: [Int](), env: ())
    down.bind(id: "total", to: store, on: \.total) { total in .set { $0.append(total) } }
    store.send([.add(1), .add(2), .add(3)])
    #expect(down.state == [0, 6])
  }

  @Test("The effects of several actions sent at once are merged")
  func effectsAreMerged() async {
    let outcome = await store.send([.load, .load]).outcome
    #expect(outcome.isFinished)
    #expect(store.lines == ["text", "text"])
  }

  @Test("A synchronous effect of an action runs in the same step as the action's change")
  func effectFollowsAtOnce() {
    struct Echo: Model {
      typealias Action = Int
      var asked = 0
      var answered = 0
      static func update(_ state: inout Echo, _ action: Int) -> Effect {
        state.asked = action
        return .set(\.answered, to: action)
      }
    }
    let store = StoreOf<Echo>(state: Echo(), env: ())
    #expect(store.send(7).isSettled)
    #expect(store.state == Echo(asked: 7, answered: 7))
  }

  @Test("A store of a model does not publish a state that equals the one before it")
  func equalStates() {
    let down = AsyncStore(state: 0, env: ())
    down.bind(id: "all", to: store, on: \.self) { _ in .set { $0 += 1 } }
    store.send(.keep)
    #expect(down.state == 1)
    store.send(.add(1))
    #expect(down.state == 2)
  }

  @Test("A store of a model takes no action while it is inactive")
  func inactive() {
    store.deactivate()
    let handle = store.send(.add(1))
    guard case .inactive? = handle.outcomeIfSettled else {
      Issue.record("it was interpreted")
      return
    }
    #expect(store.total == 0)
    store.activate()
    store.send(.add(1))
    #expect(store.total == 1)
  }

  @Test("An error of an action's effect is passed to `mapError` and reported as the outcome")
  func errors() async {
    let store = BoardStore(state: Board(), env: Service()) { .send(.log("\($0)")) }
    let outcome = await store.run(.fail)
    guard case .failed(let error) = outcome else {
      Issue.record("it did not fail: \(outcome)")
      return
    }
    #expect(error is Failure)
    #expect(store.lines == ["Failure()"])
  }

  @Test("A store of a model starts with an action, an effect or its own preparation")
  func starting() async {
    let first = BoardStore(state: Board(), env: Service(), middleware: [], action: .log("first"))
    #expect(first.lines == ["first"])
    let second = BoardStore(env: Service()) { _ in (Board(total: 3), .send(.log("second"))) }
    #expect(second.state == Board(total: 3, lines: ["second"]))
    store.prepare()
    #expect(store.lines == ["prepared"])
  }

  @Test("A store of a model can be reset to a state")
  func reset() {
    store.send(.add(3))
    store.reset(to: Board(total: 1))
    #expect(store.state == Board(total: 1))
    store.receive(.reset(to: Board(total: 2)))
    #expect(store.total == 2)
  }

  @Test("A store that is bound to an actor commits on it, even actions sent from elsewhere")
  @MainActor
  func isolation() async {
    let store = BoardStore(state: Board(), env: Service(), middleware: [], isolation: MainActor.shared)
    store.send(.log("here"))
    #expect(store.lines == ["here"])
    await Task.detached { _ = await store.send(.log("there"), isolation: nil).outcome }.value
    #expect(store.lines == ["here", "there"])
  }

  @Test("A store of a model loses no action of several threads")
  func concurrency() async {
    await withDiscardingTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { store.send(.add(1)) } } }
    }
    #expect(store.total == 8_000)
  }
}
