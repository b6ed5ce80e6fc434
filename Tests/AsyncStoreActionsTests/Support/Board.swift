import AsyncStoreActions

/// A model with every kind of part: properties, an optional, a dictionary, an array.
struct Board: Model {
  typealias Environment = Service

  enum Action: Sendable, Equatable, Codable {
    case add(Int)
    case keep
    case log(String)
    case load
    case loaded(String)
    case fail
    case left(Cell.Action)
    case guest(Cell.Action)
    case cell(String, Cell.Action)
    case item(Int, Cell.Action)
  }

  var total = 0
  var lines: [String] = []
  var left = Cell()
  var guest: Cell?
  var cells: [String: Cell] = [:]
  var items: [Item] = []

  struct Item: Identifiable, Equatable, Sendable, Codable {
    let id: Int
    var cell = Cell()
  }

  static func update(_ state: inout Board, _ action: Action) -> Effect {
    switch action {
    case .add(let number): state.total += number
    case .keep: break
    case .log(let line): state.lines.append(line)
    case .load: return .perform { service in .send(.loaded(try await service.text())) }
    case .loaded(let text): state.lines.append(text)
    case .fail: return .task { throw Failure() }
    case .left(let action): return update(Part(\.left), of: &state, action, as: Action.left)
    case .guest(let action): return update(Part(optional: \.guest), of: &state, action, as: Action.guest)
    case .cell(let key, let action):
      return update(Part(\.cells, key: key), of: &state, action, as: { Action.cell(key, $0) })
    case .item(let id, let action):
      let part = Part(\Board.items, key: id).appending(Part(\Item.cell))
      return update(part, of: &state, action, as: { Action.item(id, $0) })
    }
    return .none
  }

  static func prepare(_ state: inout Board) -> Effect {
    state.lines.append("prepared")
    return .none
  }
}

extension Board: Codable {}

typealias BoardStore = StoreOf<Board>

extension BoardStore {
  convenience init(_ state: Board = Board()) { self.init(state: state, env: Service()) }
}

/// A part of the board that has effects of its own.
struct Cell: Model, Codable {
  enum Action: Sendable, Equatable, Codable {
    case increment
    case twice
    case hold(String)
    case release
  }

  var count = 0
  var note = ""

  static func update(_ state: inout Cell, _ action: Action) -> Effect {
    switch action {
    case .increment: state.count += 1
    case .twice: return .concatenate(.send(.increment), .send(.increment))
    case .hold(let note): return .concatenate(.sleep(.seconds(3_600)), .set(\.note, to: note)).id("hold")
    case .release: return .cancel("hold")
    }
    return .none
  }
}

struct Service: Sendable {
  var text: @Sendable () async throws -> String = { "text" }
}

struct Failure: Error, Equatable {}
