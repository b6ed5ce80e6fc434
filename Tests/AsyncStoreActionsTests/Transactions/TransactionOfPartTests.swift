import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("A transaction of a part")
struct TransactionOfPartTests {
  let store = BoardStore(Board(cells: ["a": Cell(count: 1)], items: [Board.Item(id: 1)]))

  @Test("A transaction begun on a child store changes the part of its parent")
  func child() async {
    let cell = store.child(\.cells, key: "a")
    let now = cell.begin(StateTransaction("now") { $0.count += 1 })
    #expect("\(now.status)" == "completed")
    let later = cell.begin(
      StateTransaction("later") { draft in
        let count = draft.count
        #expect(try await draft.env.text() == "text")
        try draft.change { $0.count = count * 10 }
        #expect(draft.state == Cell(count: 20))
        try draft.change { $0.note = "\($0.count)" }
      })
    #expect("\(await later.outcome)" == "completed")
    #expect(store.cells == ["a": Cell(count: 20, note: "20")])
    await cell.run(.transaction(StateTransaction("effect") { $0.count = 0 }))
    #expect(cell.count == 0)
  }

  @Test("A transaction of a part of a part is run again if something else changes that part")
  func conflict() async {
    let cell = store.child(\.items).child(Part(\.self, key: 1)).child(\.cell)
    let gate = Gate()
    let attempts = Note(0)
    let run = cell.begin(
      StateTransaction("slow") { draft in
        attempts.change { $0 += 1 }
        let count = draft.count
        await gate.pass()
        try draft.change { $0.count = count + 1 }
      })
    await gate.arrival()
    store.send([.add(1), .item(1, .increment)])
    gate.open()
    #expect("\(await run.outcome)" == "completed")
    #expect(attempts.value == 2)
    #expect(store.items[0].cell.count == 2)
    #expect(store.total == 1)
  }

  @Test("A transaction of a part fails if the part is missing at its beginning or at its end")
  func missing() async {
    let guest = store.child(Part(optional: \Board.guest))
    let gate = Gate()
    for run in [
      guest.begin(StateTransaction("now") { $0.count += 1 }),
      guest.begin(StateTransaction("later") { draft in try draft.change { $0.count += 1 } }),
    ] {
      guard case .failed(let error as TransactionError) = await run.outcome else { return #expect(Bool(false)) }
      #expect(error.code == .missing)
      #expect(error.description == "The part that \(run.name) is to change is not there.")
    }
    let cell = store.child(\.cells, key: "a")
    let run = cell.begin(
      StateTransaction("lost") { draft in
        try draft.change { $0.count += 1 }
        await gate.pass()
      })
    await gate.arrival()
    store.receive(.set(\.cells, to: [:]))
    gate.open()
    guard case .failed(let error as TransactionError) = await run.outcome else { return #expect(Bool(false)) }
    #expect(error.code == .missing)
    #expect(store.cells.isEmpty)
  }

  @Test("A transaction of an element by its index never reads a state without that element")
  func elementByIndex() async {
    let item = store.child(Part(\Board.items[0]))
    let gate = Gate()
    let run = item.begin(
      StateTransaction("first", attemptLimit: 1) { draft in
        try draft.change { $0.cell.count += 1 }
        await gate.pass()
      })
    await gate.arrival()
    store.receive(.set(\.items, to: []))
    gate.open()
    guard case .failed(let error as TransactionError) = await run.outcome else { return #expect(Bool(false)) }
    #expect(error.code == .conflict)
  }

  @Test("A transaction in a pulled-back reducer changes its part and sends the whole's actions")
  func reducer() async throws {
    struct House: Model {
      enum Action: Sendable, Equatable { case room(Room.Action) }
      var room = Room()
      var visits = 0
      static func update(_ state: inout House, _ action: Action) -> Effect {
        switch action {
        case .room(let action):
          state.visits += 1
          return update(Part(\.room), of: &state, action, as: Action.room)
        }
      }
    }
    struct Room: Model {
      enum Action: Sendable, Equatable { case tidy, sweep }
      var isTidy = false
      var sweeps = 0
      static func update(_ state: inout Room, _ action: Action) -> Effect {
        switch action {
        case .tidy:
          return .transaction(
            StateTransaction<Room, Void>("tidy") { draft in
              draft.send(.sweep)
              #expect(draft.sweeps == 1)
              try draft.change { $0.isTidy = true }
            })
        case .sweep:
          state.sweeps += 1
          return .none
        }
      }
    }
    let store = StoreOf<House>(state: House(), env: ())
    store.startRecording(checkpointEvery: 1)
    await store.run(.room(.tidy))
    #expect(store.state == House(room: Room(isTidy: true, sweeps: 1), visits: 2))
    let log = try #require(store.actionLog)
    #expect(log.changes.elementsEqual([.action(.room(.tidy)), .action(.room(.sweep)), .state(store.state)]))
    #expect(try log.replay() == store.state)
  }

  @Test("Concurrent transactions of one part are serializable under every schedule")
  func exploration() async throws {
    try await explore(.seeds(1_000)) { simulation in
      let store = simulation.store(Board(cells: ["a": Cell()]), env: Service())
      let cell = store.child(\.cells, key: "a")
      let runs = (1...3).map { number in
        cell.begin(
          StateTransaction("\(number)") { draft in
            let count = draft.count
            await switchPoint()
            try draft.change { $0.count = count + number }
          })
      }
      for run in runs { #expect("\(await run.outcome)" == "completed") }
      #expect(cell.count == 6)
    }
  }

  /// A state that can't be compared.
  private struct Counts: Sendable {
    var numbers = [1, 2]
    var named = ["a": 1]
    var sum = 0
  }

  @Test("A transaction that reads by an index fails at once if the store's state can't be compared")
  func incomparable() async {
    let store = AsyncStore(state: Counts(), env: ())
    let attempts = Note(0)
    let runs = [
      store.begin(
        StateTransaction("read") { draft in
          attempts.change { $0 += 1 }
          let number = draft[dynamicMember: \.numbers[0]]
          try draft.change { $0.sum += number }
        }),
      store.child(\.numbers[0]).begin(
        StateTransaction("part") { draft in
          attempts.change { $0 += 1 }
          try draft.change { $0 += 1 }
        }),
    ]
    for run in runs {
      guard case .failed(let error as TransactionError) = await run.outcome else {
        Issue.record("\(run.name) is \(run.status)")
        continue
      }
      #expect(error.code == .incomparable)
      #expect(error.description.contains("\(run.name) has read"))
      #expect(error.description.contains("Counts is not Equatable"))
    }
    #expect(attempts.value == 2)
    #expect(store.numbers == [1, 2] && store.sum == 0)
    // Transactions that only read, or read what has a value in every state, complete.
    let fine = [
      store.begin(StateTransaction("only reads") { draft in #expect(draft[dynamicMember: \.numbers[1]] == 2) }),
      store.begin(
        StateTransaction("key") { draft in
          let number = draft[dynamicMember: \.named["a"]] ?? 0
          try draft.change { $0.sum += number }
        }),
      store.child(\.numbers[0]).begin(StateTransaction("at once") { $0 += 1 }),
    ]
    for run in fine { #expect("\(await run.outcome)" == "completed") }
    #expect(store.numbers == [2, 2] && store.sum == 1)
  }
}
