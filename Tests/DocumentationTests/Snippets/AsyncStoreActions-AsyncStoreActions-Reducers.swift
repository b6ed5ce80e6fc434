// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/Reducers.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/Reducers.md")
struct AsyncStoreActionsAsyncStoreActionsReducersSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Reducers.md yields what its comments say") func snippet1() {
    struct Cart: Model {
      enum Action: Sendable { case add(String), clear }
      var items: [String] = []

      static func update(_ state: inout Cart, _ action: Action) -> Effect {
        switch action {
        case .add(let item): state.items.append(item)
        case .clear: state.items = []
        }
        return .none
      }
    }

    let cart = StoreOf<Cart>(state: Cart(), env: ())
    cart.send(.add("tea"))
    #expect(cart.items == ["tea"])
  }

  @Test("Snippet 2 of Reducers.md yields what its comments say") func snippet2() {
    var tally = Tally()
    let effect = Tally.update(&tally, .add(2))
    #expect(tally.count == 2)
    #expect(effect.summary.kind == .none)
  }

  @Test("Snippet 3 of Reducers.md yields what its comments say") func snippet3() async throws {
    struct Profile: Model {
      enum Action: Sendable { case load, loaded(String), failed }
      typealias Environment = UserService
      var name: String?
      var error: String?

      static func update(_ state: inout Profile, _ action: Action) -> Effect {
        switch action {
        case .load:
          return .perform { service in .send(.loaded(try await service.user())) }
            .recover { _ in .send(.failed) }
            .id("load")
        case .loaded(let name): (state.name, state.error) = (name, nil)
        case .failed: state.error = "The profile can't be loaded."
        }
        return .none
      }
    }

    let profile = StoreOf<Profile>(state: Profile(), env: service)
    let cancelled = profile.send(.load)
    await profile.run(.load)
    _ = await cancelled.outcome
    #expect(profile.name == "Ada")
    #expect(profile.error == nil)
  }

  @Test("Snippet 4 of Reducers.md yields what its comments say") func snippet4() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.send([.increment, .add(2)])
    tally.receive(.concatenate(.send(.increment), .sleep(.seconds(60)), .send(.add(100))).id("later"))
    tally.receive(.cancel("later"))
    #expect(tally.count == 4)
  }

  @Test("Snippet 5 of Reducers.md yields what its comments say") func snippet5() {
    struct Note: Model {
      enum Action: Sendable { case write(String), erase }
      var text = ""
      var edits = 0

      static let writing = Reducer<Note, Action, Void> { note, action in
        switch action {
        case .write(let text): note.text += text
        case .erase: note.text = ""
        }
        return .none
      }
      static let counting = Reducer<Note, Action, Void> { note, _ in
        note.edits += 1
        return .none
      }
      static let all = writing + counting

      static func update(_ state: inout Note, _ action: Action) -> Effect { all.reduce(&state, action) }
    }

    let note = StoreOf<Note>(state: Note(), env: ())
    note.send([.write("milk"), .erase])
    #expect(note.text == "")
    #expect(note.edits == 2)
  }

  @Test("Snippet 6 of Reducers.md yields what its comments say") func snippet6() {
    struct House: Model {
      enum Action: Sendable { case hall(Tally.Action), guest(Tally.Action), room(String, Tally.Action) }
      var hall = Tally()
      var guest: Tally?
      var rooms: [String: Tally] = [:]

      static func update(_ state: inout House, _ action: Action) -> Effect {
        switch action {
        case .hall(let action): update(Part(\.hall), of: &state, action, as: Action.hall)
        case .guest(let action): update(Part(optional: \.guest), of: &state, action, as: Action.guest)
        case .room(let key, let action): update(Part(\.rooms, key: key), of: &state, action, as: { .room(key, $0) })
        }
      }
    }

    let house = StoreOf<House>(state: House(rooms: ["attic": Tally()]), env: ())
    house.send([.hall(.increment), .guest(.increment), .room("attic", .add(2)), .room("cellar", .add(3))])
    #expect(house.hall.count == 1)
    #expect(house.guest == nil)
    #expect(house.rooms == ["attic": Tally(count: 2)])
  }

  @Test("Snippet 7 of Reducers.md yields what its comments say") func snippet7() {
    struct Player: Equatable, Sendable { var score = 0 }
    struct Game: Model {
      enum Action: Sendable { case player(String, Int), rename(String) }
      var name = ""
      var players: [String: Player] = [:]

      static let scoring = Reducer<Player, Int, Void> { player, points in
        player.score += points
        return .none
      }
      static let all =
        scoring.forEach(
          \Game.players,
          actions: ActionCase(embed: Action.player) {
            if case .player(let name, let points) = $0 { (name, points) } else { nil }
          },
          environment: { _ in })
        + Reducer { game, action in
          if case .rename(let name) = action { game.name = name }
          return .none
        }

      static func update(_ state: inout Game, _ action: Action) -> Effect { all.reduce(&state, action) }
    }

    let game = StoreOf<Game>(state: Game(players: ["Ada": Player(), "Bob": Player()]), env: ())
    game.send([.player("Ada", 3), .player("Ada", 4), .rename("final")])
    #expect(game.players == ["Ada": Player(score: 7), "Bob": Player()])
    #expect(game.name == "final")
  }

  @Test("Snippet 8 of Reducers.md yields what its comments say") func snippet8() {
    struct Download: Model {
      enum Action: Sendable { case start, finished }
      var isFinished = false

      static func update(_ state: inout Download, _ action: Action) -> Effect {
        switch action {
        case .start: return .concatenate(.sleep(.seconds(60)), .send(.finished)).id("download")
        case .finished: state.isFinished = true
        }
        return .none
      }
    }

    struct Downloads: Model {
      enum Action: Sendable { case file(String, Download.Action), remove(String) }
      var files: [String: Download] = [:]

      static func update(_ state: inout Downloads, _ action: Action) -> Effect {
        switch action {
        case .file(let name, let action):
          return update(Part(\.files, key: name), of: &state, action, as: { .file(name, $0) })
        case .remove(let name):
          state.files[name] = nil
          return .cancel(prefix: EffectID(name))
        }
      }
    }

    let downloads = StoreOf<Downloads>(state: Downloads(files: ["a": Download(), "b": Download()]), env: ())
    let (first, second) = (downloads.send(.file("a", .start)), downloads.send(.file("b", .start)))
    downloads.send(.remove("a"))
    #expect(first.outcomeIfSettled?.isCancelled == true)
    #expect(second.isSettled == false)
  }
}
