import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("A child store")
struct ChildStoreTests {
  let store = BoardStore(Board(cells: ["a": Cell()], items: [Board.Item(id: 1)]))

  @Test("A child store shares its parent's storage in both directions")
  func sharing() {
    let left = store.child(\.left)
    left.receive(.set(\.count, to: 3))
    #expect(store.left.count == 3)
    store.send(.left(.increment))
    #expect(left.count == 4)
    #expect(left.state == Cell(count: 4))
  }

  @Test("An awaited action or effect of a part is committed before its caller leaves the store's actor")
  @MainActor
  func awaitedOnTheActor() async {
    let store = BoardStore(state: Board(), env: Service(), isolation: MainActor.shared)
    let left = store.child(\.left)
    // Each has the actor as soon as the caller suspends.
    let afterAction = Task { store.left.count }
    await store.run(.left(.increment))
    #expect(await afterAction.value == 1)
    let afterEffect = Task { store.left.count }
    await left.run(.concatenate(.set(\.count, to: 5), .perform { _ in .none }))
    #expect(await afterEffect.value == 5)
  }

  @Test("A function that was converted to one of the main actor changes the store there, wherever it is called")
  @concurrent
  func convertedFunctions() async {
    let store = BoardStore(state: Board(), env: Service(), isolation: MainActor.shared)
    let left = store.child(\.left)
    let runEffect: @MainActor @Sendable (ChildStore<Cell, Service>.Effect) async -> EffectOutcome = left.run
    let runAction: @MainActor @Sendable (Board.Action) async -> EffectOutcome = store.run
    let places = Note<[Bool]>([])
    await MainActor.run {
      store.bind(id: "places", to: \.left.count) { _ in
        places.change { $0.append(MainQueue.isCurrent) }
        return .none
      }
    }
    _ = await runEffect(.set(\.count, to: 1))
    _ = await runAction(.left(.increment))
    #expect(store.left.count == 2)
    // The first value, and two changes.
    #expect(places.value == [true, true, true])
  }

  @Test("A child store interprets every kind of effect in its parent")
  func effects() async {
    let left = store.child(\.left)
    await left.run(
      .concatenate(
        .set(\.count, to: 1), .read { .set(\.note, to: "\($0.count)") },
        .perform { env in
          .set(\.note, to: try await env.text())
        },
        .update { cell in
          cell.count += 1
          return .none
        }))
    #expect(store.left == Cell(count: 2, note: "text"))
    await left.run(.merge(.set(\.count, to: 7).id("a"), .none, .set(\.note, to: "a").finally(.set { $0.note += "b" })))
    #expect(store.left == Cell(count: 7, note: "ab"))
    let handle = left.receive(.sleep(.seconds(3_600)).id("pause"))
    store.receive(.cancel("pause"))
    #expect(handle.outcomeIfSettled?.isCancelled == true)
  }

  @Test("Cancelling a task inside a mutation cancels the child store's effect that the task waits for", .simulated())
  func cancelledCaller() async throws {
    let simulation = try #require(Simulation.current)
    let store = BoardStore(state: Board(), env: Service(), clock: simulation.clock, executor: simulation.executor)
    let caller = Task { await store.child(\.left).run(.sleep(.seconds(60))) }
    try await simulation.clock.sleep(for: .seconds(1))
    store.receive(.set { _ in caller.cancel() })
    #expect(store.inFlight.isEmpty)
    #expect(await caller.value.isCancelled)
  }

  @Test("The values of a child store follow its part, and are nil while the part is missing")
  func values() async {
    let guest = store.child(Part(optional: \Board.guest))
    let values = guest.values()
    store.send(.add(1))
    store.receive(.set(\.guest, to: Cell()))
    guest.receive(.set(\.count, to: 2))
    store.receive(.set(\.guest, to: nil))
    store.deactivate()
    var counts: [Int?] = []
    for await value in values { counts.append(value?.count) }
    #expect(counts == [nil, 0, 2, nil])
  }

  @Test("The history of a child store undoes changes of its part, and does nothing while the part is missing")
  func undo() {
    let guest = store.child(Part(optional: \Board.guest))
    let history = guest.undoHistory()
    store.receive(.set(\.guest, to: Cell()))
    #expect(!history.canUndo)
    guest.receive(.set(\.count, to: 1))
    store.send(.add(5))
    store.send(.guest(.increment))
    #expect(history.undoCount == 2)
    let kept = store.guest
    store.receive(.set(\.guest, to: nil))
    history.undo()
    #expect(store.guest == nil)
    #expect(history.undoCount == 2)
    store.receive(.set(\.guest, to: kept))
    history.undo()
    #expect(guest.count == 1)
    history.undo()
    #expect(guest.count == 0)
    history.redo()
    #expect(guest.count == 1)
    #expect(store.total == 5)
  }

  @Test("The history of a child store does not count the arrival of its part as a change")
  func arrival() {
    let history = store.child(Part(optional: \Board.guest)).undoHistory()
    store.receive(.set(\.guest, to: Cell()))
    store.send(.guest(.increment))
    store.receive(.set(\.guest, to: nil))
    store.receive(.set(\.guest, to: Cell(count: 7)))
    #expect(history.undoCount == 1)
    history.undo()
    #expect(store.guest?.count == 0)
    history.redo()
    #expect(store.guest?.count == 7)
  }

  @Test("Child stores nest, and find their ancestors by type")
  func nesting() {
    let items = store.child(\.items)
    let cell = items.child(Part(\.self, key: 1)).child(\.cell)
    cell.receive(.set { $0.count += 1 })
    #expect(store.items[0].cell.count == 1)
    #expect(cell.ancestor(of: [Board.Item].self)?.state?.count == 1)
    #expect(cell.ancestor(of: Board.Item.self)?.id == 1)
    #expect(cell.ancestor(of: Board.self)?.state == store.state)
    #expect(cell.ancestor(of: String.self) == nil)
  }

  @Test("A child store finds the nearest of several ancestors of one type")
  func nearestAncestor() {
    struct Node: Sendable {
      var name: String
      var nodes: [String: Node] = [:]
    }
    let tree = Node(name: "root", nodes: ["a": Node(name: "a", nodes: ["b": Node(name: "b")])])
    let store = AsyncStore(state: tree, env: ())
    let child = store.child(\.nodes, key: "a").child(Part(\.nodes, key: "b"))
    #expect(child.ancestor(of: Node.self)?.name == "a")
  }

  @Test("A child store does nothing while its part is missing")
  func missing() {
    let cell = store.child(\.cells, key: "z")
    let guest = store.child(Part(optional: \Board.guest))
    cell.receive(.set(\.count, to: 1))
    guest.receive(.set(\.count, to: 1))
    #expect(cell.state == nil)
    #expect(guest.count == nil)
    #expect(store.cells == ["a": Cell()])
    #expect(store.guest == nil)
  }
}
