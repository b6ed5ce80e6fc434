import AsyncStoreTesting
import Synchronization
import Testing

@testable import AsyncStoreActions

@Suite("The sequences of actions and updates")
struct ActionSequenceTests {
  let store = BoardStore()

  @Test("The sequence of actions has every action in order, from the moment it is requested")
  func actions() async {
    store.send(.add(1))
    let actions = store.actions
    store.send(.add(2))
    store.send([.add(3), .keep])
    store.deactivate()
    var seen: [Board.Action] = []
    for await action in actions { seen.append(action) }
    #expect(seen == [.add(2), .add(3), .keep])
  }

  @Test("The sequence of actions leaves out actions that middleware stopped")
  func stopped() async {
    store.install(Middleware { _, action in action == .keep ? nil : action })
    let actions = store.actions
    store.send([.keep, .add(1)])
    store.deactivate()
    var seen: [Board.Action] = []
    for await action in actions { seen.append(action) }
    #expect(seen == [.add(1)])
  }

  @Test("The sequence of updates has one update for each commit that changes the state")
  func updates() async {
    let updates = store.updates
    store.send(.keep)
    store.send([.add(1), .add(1)])
    store.send(.keep)
    store.deactivate()
    var seen: [ActionUpdate<Board>] = []
    for await update in updates { seen.append(update) }
    #expect(seen == [ActionUpdate(actions: [.add(1), .add(1)], state: Board(total: 2))])
  }

  @Test("An update compares a commit's state with the state before it, not with the reader's last one")
  func changesOfOthers() async {
    let updates = store.updates
    store.send(.add(1))
    // Back to the last state that the reader has received.
    store.receive(.set(\.total, to: 5))
    store.send(.add(-4))
    // The state is not the last one that the reader has received, but the action does not change it.
    store.receive(.set(\.total, to: 7))
    store.send(.keep)
    store.receive(.silently { $0.total = 8 })
    store.send(.keep)
    store.begin(StateTransaction("back and forth") { $0.total = 9 })
    store.send(.keep)
    store.send(.add(-8))
    store.deactivate()
    var seen: [ActionUpdate<Board>] = []
    for await update in updates { seen.append(update) }
    #expect(seen.map(\.actions) == [[.add(1)], [.add(-4)], [.add(-8)]])
    #expect(seen.map(\.state.total) == [1, 1, 1])
  }

  /// A model that holds an object, which reports its release.
  struct Keeper: Model {
    final class Object: Sendable, Equatable {
      private let whenReleased: @Sendable () -> Void
      init(_ whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }
      deinit { whenReleased() }
      static func == (left: Object, right: Object) -> Bool { left === right }
    }

    enum Action: Sendable { case keep(Object), drop }

    var object: Object?

    static func update(_ state: inout Keeper, _ action: Action) -> Effect {
      switch action {
      case .keep(let object): state.object = object
      case .drop: state.object = nil
      }
      return .none
    }
  }

  @Test("The sequence of updates releases a delivered state where the release may call the store")
  func released() async {
    await #expect(processExitsWith: .success) {
      let store = AsyncStore<Keeper, Void>(state: Keeper(), env: ())
      let count = Mutex(0)
      let updates = store.updates
      var iterator = updates.makeAsyncIterator()
      for _ in 0..<2 {
        do {
          let object = Keeper.Object { [weak store] in
            _ = store?.inFlight
            count.withLock { $0 += 1 }
          }
          store.send(.keep(object))
        }
        _ = await iterator.next()
        store.send(.drop)
        _ = await iterator.next()
      }
      store.deactivate()
      precondition(count.withLock { $0 } == 2, "an object is kept")
    }
  }

  @Test("The sequence of actions has a transaction's actions once, however often it was run")
  func retriedTransaction() async {
    let store = BoardStore()
    let actions = store.actions
    let run = store.begin(
      StateTransaction("late") { [store] draft in
        draft.send(.log("a"))
        let total = draft.total
        if draft.attempt == 1 { store.receive(.set(\.total, to: 5)) }
        draft.send(.log("\(total)"))
      })
    #expect("\(await run.outcome)" == "completed")
    store.deactivate()
    var seen: [Board.Action] = []
    for await action in actions { seen.append(action) }
    #expect(seen == [.log("a"), .log("5")])
  }

  @Test("The sequences of actions and updates leave nothing behind once nobody reads them")
  func readersGone() {
    let store = BoardStore()
    do {
      let (actions, updates) = (store.actions, store.updates)
      withExtendedLifetime((actions, updates)) { #expect(!store.hub.read { $0.isEmpty }) }
    }
    #expect(store.hub.read { $0.isEmpty })
  }

  @Test("An action is delivered before its state", .simulated())
  func actionsComeFirst() async throws {
    let simulation = try #require(Simulation.current)
    let order = Note<[String]>([])
    let (actions, updates) = (store.actions, store.updates)
    // The reader of states waits first, so that only the order of the deliveries lets the other one come first.
    let readers = [
      Task {
        for await update in updates.prefix(1) { order.change { $0.append("\(update.state.total)") } }
      },
      Task {
        for await action in actions.prefix(1) { order.change { $0.append("\(action)") } }
      },
    ]
    await simulation.settle()
    store.send(.add(1))
    for reader in readers { await reader.value }
    #expect(order.value == ["add(1)", "1"])
  }

  @Test("The sequence of actions can have any number of readers")
  func readers() async {
    let both = [store.actions, store.actions]
    store.send(.add(1))
    for actions in both {
      var iterator = actions.makeAsyncIterator()
      #expect(await iterator.next() == .add(1))
    }
  }

  @Test("A sequence that is requested during the delivery of a commit begins with the next commit")
  func insideDelivery() async {
    let (actions, updates) = (Note<AsyncStream<Board.Action>?>(nil), Note<AsyncStream<ActionUpdate<Board>>?>(nil))
    store.install(
      .observing { [store] done in
        guard done.action == .add(1) else { return }
        actions.change { $0 = store.actions }
        store.send(.add(2))
        updates.change { $0 = store.updates }
      })
    store.send(.add(1))
    store.send(.add(3))
    store.deactivate()
    var seen: [Board.Action] = []
    if let actions = actions.value { for await action in actions { seen.append(action) } }
    #expect(seen == [.add(2), .add(3)])
    var totals: [Int] = []
    if let updates = updates.value { for await update in updates { totals.append(update.state.total) } }
    #expect(totals == [6])
  }

  @Test("The sequence of actions covers only the activation in which it was requested", .timeLimit(.minutes(10)))
  func activities() async {
    let actions = Note<[AsyncStream<Board.Action>]>([])
    store.install(
      .observing { [store] done in
        guard done.action == .keep else { return }
        actions.change { $0.append(store.actions) }
        store.deactivate()
        actions.change { $0.append(store.actions) }
        store.activate()
        actions.change { $0.append(store.actions) }
      })
    store.send(.keep)
    store.send(.add(1))
    store.deactivate()
    var seen: [[Board.Action]] = []
    for actions in actions.value {
      var all: [Board.Action] = []
      for await action in actions { all.append(action) }
      seen.append(all)
    }
    #expect(seen == [[], [], [.add(1)]])
  }

  @Test("The sequences of actions and updates end whenever the store is deactivated", .timeLimit(.minutes(10)))
  func deactivatedMeanwhile() async {
    for _ in 0..<500 {
      let store = BoardStore()
      await withDiscardingTaskGroup { group in
        group.addTask { store.deactivate() }
        group.addTask { for await action in store.actions { Issue.record("\(action)") } }
        group.addTask { for await update in store.updates { Issue.record("\(update)") } }
      }
    }
  }

  @Test("The sequences of actions and updates end with the store, and do not keep it alive")
  func lifetime() async throws {
    var store: BoardStore? = BoardStore()
    weak let gone = store
    let actions = try #require(store?.actions)
    let updates = try #require(store?.updates)
    store = nil
    #expect(gone == nil)
    for await action in actions { Issue.record("\(action)") }
    for await update in updates { Issue.record("\(update)") }
  }

  @Test("The sequences of actions and updates of an inactive store are empty")
  func inactive() async {
    store.deactivate()
    for await action in store.actions { Issue.record("\(action)") }
    for await update in store.updates { Issue.record("\(update)") }
  }
}
