import AsyncStore
import AsyncStoreActions
import AsyncStorePersistence
import Foundation
import Testing

/// The rows of the guide *Coming from SwiftDux*, each under its left column.
@Suite("Coming from SwiftDux")
struct ComingFromSwiftDuxTests {
  struct Room: Identifiable, Equatable, Sendable {
    let id: Int
    var tally = Tally()
  }

  struct House: Model {
    enum Action: Sendable { case tally(Tally.Action), rename(String) }
    var name = ""
    var tally = Tally()

    static let reducer =
      Reducer<Tally, Tally.Action, Void> { tally, action in
        tally.count += action == .increment ? 1 : 0
        return .none
      }.pullback(
        to: Part(\House.tally),
        actions: ActionCase(embed: Action.tally) { if case .tally(let action) = $0 { action } else { nil } })
      + Reducer { house, action in
        if case .rename(let name) = action { house.name = name }
        return .none
      }

    static func update(_ state: inout House, _ action: Action) -> Effect { reducer.reduce(&state, action) }
  }

  let tally = StoreOf<Tally>(state: Tally(), env: ())
  let output = CounterStore(state: Counter(), env: UserService())
  private let folder = TemporaryFolder()

  @Test("A `Reducer` with `pullback` replaces SwiftDux's `Reducer`, `+` and `reduceNext`")
  func reducers() {
    let house = StoreOf<House>(state: House(), env: ())
    house.send([.tally(.increment), .rename("Netherfield")])
    #expect(house.tally.count == 1)
    #expect(house.name == "Netherfield")
  }

  @Test("A middleware that may stop an action replaces SwiftDux's `Middleware`")
  func middleware() {
    tally.install(Middleware { _, action in action == .increment ? nil : action })
    tally.send([.increment, .add(2)])
    #expect(tally.count == 2)
  }

  @Test("`.printing(where:to:)` replaces `PrintActionMiddleware(filter:)`")
  func printing() {
    let output = output
    tally.install(.printing(where: { $0 != .increment }, to: { output.receive(.append($0, to: \.items)) }))
    tally.send([.increment, .add(2)])
    #expect(output.items == ["add(2)"])
  }

  @Test("`.handling` and `.observing` replace `HandleActionMiddleware`")
  func handling() {
    let output = output
    tally.install(.handling { _, action in action == .increment ? .send(.add(10)) : .none })
    tally.install(.observing { committed in output.receive(.append("\(committed.action)", to: \.items)) })
    tally.send(.increment)
    #expect(tally.count == 11)
    #expect(output.items == ["increment", "add(10)"])
  }

  @Test("`store.persist(_:in:)` replaces `PersistStateMiddleware` and `JSONStatePersistor`")
  func persisting() throws {
    let file = FileStorage(folder.url.appending(path: "tally.json"))
    let persistence = try tally.persist(\.self, in: file)
    tally.send(.add(3))
    try persistence.save()
    persistence.stop()
    let restored = StoreOf<Tally>(state: Tally(), env: ())
    try restored.persist(\.self, in: file)
    #expect(restored.count == 3)
  }

  @Test("`store.persist(_:in:restoring:)` replaces `shouldRestore` of `PersistStateMiddleware`")
  func shouldRestore() throws {
    let file = FileStorage(folder.url.appending(path: "tally.json"))
    let persistence = try tally.persist(\.self, in: file)
    tally.send(.add(3))
    try persistence.save()
    persistence.stop()
    let restored = StoreOf<Tally>(state: Tally(), env: ())
    try restored.persist(\.self, in: file, restoring: { $0.count != 3 })
    #expect(restored.count == 0)
  }

  @Test("`persistence.startSaving(on:)` replaces saving when the app goes to the background")
  func background() throws {
    let file = FileStorage(folder.url.appending(path: "tally.json"))
    let persistence = try tally.persist(\.self, in: file, saving: .onDemand)
    // The test uses a notification of its own. UIKit's notification is compiled by .ci/typecheck-apple.
    let background = Notification.Name("background of \(folder.url.lastPathComponent)")
    let saving = persistence.startSaving(on: background)
    tally.send(.add(3))
    NotificationCenter.default.post(name: background, object: nil)
    saving.stop()
    persistence.stop()
    let restored = StoreOf<Tally>(state: Tally(), env: ())
    try restored.persist(\.self, in: file)
    #expect(restored.count == 3)
  }

  @Test("`prepare()` and `reset(to:)` replace `StoreAction.prepare` and `.reset(state:)`")
  func starting() async {
    struct Prepared: Model {
      typealias Action = Int
      var steps: [String] = []
      static func update(_ state: inout Prepared, _ action: Int) -> Effect { .none }
      static func prepare(_ state: inout Prepared) -> Effect {
        state.steps.append("prepared")
        return .none
      }
    }
    let store = StoreOf<Prepared>(state: Prepared(), env: ())
    store.prepare()
    #expect(store.steps == ["prepared"])
    store.reset(to: Prepared())
    #expect(store.steps == [])
    await store.run(.concatenate(.prepare(), .prepare()))
    #expect(store.steps == ["prepared", "prepared"])
    store.receive(.reset(to: Prepared()))
    #expect(store.steps == [])
  }

  @Test("`store.send([action, action])` replaces an `ActionPlan` of several actions")
  func severalActions() async {
    var updates = tally.updates.makeAsyncIterator()
    tally.send([.increment, .add(2)])
    #expect(await updates.next()?.state.count == 3)
  }

  @Test("`.forEach` and `.concatenate` replace an `ActionPlan` of a publisher, its `then` and completion")
  func publishers() async {
    let numbers = AsyncStream<Int> { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    let handle = tally.receive(.concatenate(.forEach(numbers) { .send(.add($0)) }, .set { $0.count *= 10 }))
    _ = await handle.outcome
    #expect(tally.count == 60)
  }

  @Test("A handle or an identifier replaces an `ActionPlan`'s cancellable")
  func cancellables() async {
    let handle = tally.receive(.sleep(.seconds(3_600)))
    let named = tally.receive(.sleep(.seconds(3_600)).id("plan"))
    handle.cancel()
    tally.receive(.cancel("plan"))
    #expect("\(await handle.outcome)" == "cancelled")
    #expect("\(await named.outcome)" == "cancelled")
  }

  @Test("An `OrderedState` with access by identity replaces SwiftDux's `OrderedState`")
  func orderedState() {
    var rooms: OrderedState<Room> = [Room(id: 1), Room(id: 2)]
    rooms.move(from: [1], to: 0)
    #expect(rooms.map(\.id) == [2, 1])
    #expect(rooms[id: 1] == Room(id: 1))
  }

  @Test("`StoreBinding` and `ActionFunction` replace `ActionBinder` and `ActionBinding`")
  func bindings() {
    let count = tally.binding(\.count, sending: { Tally.Action.add($0) })
    let increment = tally.function(.increment)
    count.wrappedValue = 4
    increment()
    #expect(count.wrappedValue == 5)
  }

  @Test("`store.actions`, `store.updates` and `Scope` replace `didChange` and `StoreProxy`")
  func watching() async {
    let page = StoreOf<Page>(state: Page(), env: ())
    var (actions, updates) = (page.actions.makeAsyncIterator(), page.updates.makeAsyncIterator())
    let scope = page.scope(\.tally, actions: Page.Action.tally)
    scope.send(.increment)
    guard case .tally(.increment)? = await actions.next() else {
      Issue.record("the action was not told")
      return
    }
    #expect(await updates.next()?.state.tally.count == 1)
    #expect(scope.count == 1)
  }
}
