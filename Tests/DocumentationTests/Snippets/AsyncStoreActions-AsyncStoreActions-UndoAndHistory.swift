// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/UndoAndHistory.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import AsyncStorePersistence
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/UndoAndHistory.md")
struct AsyncStoreActionsAsyncStoreActionsUndoAndHistorySnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of UndoAndHistory.md yields what its comments say") func snippet1() {
    let history = store.undoHistory(of: \.items)
    store.receive(.append("one", to: \.items))
    store.receive(.append("two", to: \.items))
    history.undo()
    #expect(store.items == ["one"])
    history.redo()
    #expect(store.items == ["one", "two"])
    #expect(history.canRedo == false)
  }

  @Test("Snippet 2 of UndoAndHistory.md yields what its comments say") func snippet2() {
    let history = store.undoHistory(of: \.query)
    history.group {
      for letter in "tea" { store.receive(.set { $0.query.append(letter) }) }
    }
    history.undo()
    #expect(store.query == "")
    #expect(history.canUndo == false)
  }

  @Test("Snippet 3 of UndoAndHistory.md yields what its comments say") func snippet3() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let history = store.undoHistory(of: \.query)
      let endLater: CounterStore.Effect = .concatenate(.sleep(.seconds(1)), .task { history.endGroup(); return .none })
      for letter in ["t", "e", "a"] {
        history.beginGroup()
        store.receive(.concatenate(.set { $0.query += letter }, endLater))
        await simulation.clock.advance(by: .milliseconds(500))
      }
      await simulation.clock.advance(by: .seconds(1))
      store.receive(.set { $0.query += "!" })
      history.undo()
      #expect(store.query == "tea")
      history.undo()
      #expect(store.query == "")
    }
  }

  @Test("Snippet 4 of UndoAndHistory.md yields what its comments say") func snippet4() {
    struct Basket: Equatable, Sendable { var items: [String] = [], total = 0 }
    struct Shop: Sendable { var basket = Basket(), visits = 0 }
    let shop = AsyncStore(state: Shop(), env: ())
    let (items, basket) = (shop.undoHistory(of: \.basket.items), shop.undoHistory(of: \.basket))
    shop.receive(.set { $0.basket = Basket(items: ["tea"], total: 4) })
    items.undo()
    #expect(shop.basket == Basket(items: [], total: 4))
    basket.undo()
    basket.undo()
    #expect(shop.basket == Basket())
  }

  @Test("Snippet 5 of UndoAndHistory.md yields what its comments say") func snippet5() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let history = store.undoHistory(of: \.query)
      store.bind(id: "autosave", to: \.query) { query in
        .append("saved \(query)", to: \.items).debounce(for: .seconds(2), id: "save")
      }
      store.receive(.set(\.query, to: "tea"))
      await simulation.clock.advance(by: .seconds(2))
      history.undo()
      await simulation.clock.advance(by: .seconds(2))
      store.receive(.cancel("autosave"))
      #expect(store.items == ["saved tea", "saved "])
    }
  }

  @Test("Snippet 6 of UndoAndHistory.md yields what its comments say") func snippet6() {
    struct Letter: Equatable, Sendable { var text = "" }
    struct Mail: Sendable { var draft: Letter? = Letter() }
    let mail = AsyncStore(state: Mail(), env: ())
    let history = mail.undoHistory(of: Part(optional: \.draft))
    mail.receive(.set { $0.draft?.text = "Once" })
    mail.receive(.set(\.draft, to: nil))
    history.undo()
    #expect(mail.draft == nil)
    mail.receive(.set(\.draft, to: Letter(text: "Once")))
    history.undo()
    #expect(mail.draft?.text == "")
  }

  @Test("Snippet 7 of UndoAndHistory.md yields what its comments say") func snippet7() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.startRecording()
    tally.send(.add(2))
    tally.receive(.set(\.count, to: 10))
    tally.send(.increment)
    let log = try #require(tally.actionLog)
    #expect(log.changes == [.action(.add(2)), .state(Tally(count: 10)), .action(.increment)])
    #expect(log.state(at: 1)?.count == 2)
  }

  @Test("Snippet 8 of UndoAndHistory.md yields what its comments say") func snippet8() throws {
    struct Dice: Model {
      typealias Action = Bool
      var rolls: [Int] = []

      static func update(_ state: inout Dice, _ action: Bool) -> Effect {
        state.rolls.append(Int.random(in: 0 ... .max))
        return .none
      }
    }

    let dice = StoreOf<Dice>(state: Dice(), env: ())
    dice.startRecording(checkpointEvery: 1)
    dice.send(true)
    let log = try #require(dice.actionLog)
    let error = #expect(throws: ActionLogError.self) { try log.replay() }
    #expect(error?.code == .diverged)
  }

  @Test("Snippet 9 of UndoAndHistory.md yields what its comments say") func snippet9() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.startRecording()
    for number in 1...4 { tally.send(.add(number)) }
    let lines = try #require(tally.actionLog).jsonLines()
    let copy = try ActionLog<Tally>(jsonLines: lines)
    let next = StoreOf<Tally>(state: Tally(), env: ())
    try next.startRecording(continuing: copy)
    next.send(.increment)
    #expect(next.count == 11)
    #expect(next.actionLog?.count == 5)
  }

  @Test("Snippet 10 of UndoAndHistory.md yields what its comments say") func snippet10() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.startRecording()
    for number in 1...4 { tally.send(.add(number)) }
    try tally.travel(to: 2)
    #expect(tally.count == 3)
    try tally.travel(to: 4)
    #expect(tally.count == 10)
    try tally.travel(to: 1)
    tally.send(.add(5))
    #expect(tally.actionLog?.changes == [.action(.add(1)), .action(.add(5))])
  }

  @Test("Snippet 11 of UndoAndHistory.md yields what its comments say") func snippet11() async throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    var diffs = tally.diffs(of: \.self).makeAsyncIterator()
    tally.begin(StateTransaction("add three") { $0.count += 3 })
    let diff = try #require(await diffs.next())
    let other = StoreOf<Tally>(state: Tally(), env: ())
    let state = try diff.patch.applied(to: other.state)
    other.receive(.set(\.self, to: state))
    #expect(diff.changes == ["count": .changed(old: 0, new: 3)])
    #expect(diff.transaction?.name == "add three")
    #expect(other.count == 3)
  }
}
