import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("A reducer")
struct ReducerTests {
  typealias Step = Reducer<[String], String, Void>

  @Test("Reducers combine from left to right")
  func combining() {
    let steps = ["a", "b", "c"].map { name in
      Step { state, action in
        state.append(name + action)
        return .none
      }
    }
    var state: [String] = []
    _ = (steps[0] + steps[1] + steps[2]).reduce(&state, "1")
    _ = Reducer(steps[2], steps[0]).reduce(&state, "2")
    #expect(state == ["a1", "b1", "c1", "c2", "a2"])
  }

  @Test("A combined reducer merges the effects of the reducers it is made of")
  func effects() async {
    let steps = ["a", "b"].map { name in Step { _, action in .task { .append(name + action, to: \.self) } } }
    let store = AsyncStore(state: [String](), env: ())
    var state: [String] = []
    await store.run((steps[0] + steps[1]).reduce(&state, "1"))
    #expect(store.state.sorted() == ["a1", "b1"])
  }

  /// A model whose `update` is made of the reducers of its parts.
  struct House: Model {
    enum Action: Sendable {
      case door(Cell.Action)
      case attic(Cell.Action)
      case room(String, Cell.Action)
    }

    var door = Cell()
    var attic: Cell?
    var rooms: [String: Cell] = ["a": Cell(), "b": Cell()]
    var actions = 0

    static let parts =
      Cell.reducer.pullback(
        to: Part(\House.door),
        actions: ActionCase(embed: Action.door) { if case .door(let action) = $0 { action } else { nil } })
      + Cell.reducer.pullback(
        to: Part(optional: \House.attic),
        actions: ActionCase(embed: Action.attic) { if case .attic(let action) = $0 { action } else { nil } })
      + Cell.reducer.forEach(
        \House.rooms,
        actions: ActionCase(embed: Action.room) {
          if case .room(let key, let action) = $0 { (key, action) } else { nil }
        },
        environment: { _ in })
      + Reducer { state, _ in
        state.actions += 1
        return .none
      }

    static func update(_ state: inout House, _ action: Action) -> Effect { parts.reduce(&state, action) }
  }

  /// Two properties and two collections of the same kind.
  struct Pairs: Model {
    enum Action: Sendable {
      case one(Cell.Action)
      case two(Cell.Action)
      case left(String, Cell.Action)
      case right(String, Cell.Action)
    }

    var one = Cell()
    var two = Cell()
    var left = ["a": Cell(), "b": Cell()]
    var right = ["a": Cell()]

    static func update(_ state: inout Pairs, _ action: Action) -> Effect {
      switch action {
      case .one(let action): update(Part(\.one), of: &state, action, as: Action.one)
      case .two(let action): update(Part(\.two), of: &state, action, as: Action.two)
      case .left(let key, let action): update(Part(\.left, key: key), of: &state, action, as: { .left(key, $0) })
      case .right(let key, let action): update(Part(\.right, key: key), of: &state, action, as: { .right(key, $0) })
      }
    }
  }

  @Test("Identifiers are scoped by keys alone, so properties and elements with equal keys share theirs")
  func identifiers() {
    let store = StoreOf<Pairs>(state: Pairs(), env: ())
    let (one, left, other) = (
      store.send(.one(.hold("1"))), store.send(.left("a", .hold("2"))), store.send(.left("b", .hold("3")))
    )
    #expect([one, left, other].allSatisfy { !$0.isSettled })
    let two = store.send(.two(.hold("4")))
    #expect(one.outcomeIfSettled?.isCancelled == true)
    #expect(!left.isSettled)
    let right = store.send(.right("a", .hold("5")))
    #expect(left.outcomeIfSettled?.isCancelled == true)
    store.send(.right("a", .release))
    #expect(right.outcomeIfSettled?.isCancelled == true)
    #expect([two, other].allSatisfy { !$0.isSettled })
  }

  @Test("A reducer is pulled back to a property, an optional and the elements of a collection")
  func pullback() {
    let store = StoreOf<House>(state: House(), env: ())
    store.send(.door(.twice))
    store.send(.attic(.increment))
    store.send(.room("b", .increment))
    store.send(.room("z", .increment))
    #expect(store.door.count == 2)
    #expect(store.attic == nil)
    #expect(store.rooms == ["a": Cell(), "b": Cell(count: 1)])
    #expect(store.actions == 6)
  }

  @Test("Embedding a part's effects keeps their shape, identifiers, times and errors", .simulated())
  func embedding() async throws {
    struct Inner: Model {
      typealias Action = Int
      typealias Environment = String
      var log: [String] = []
      var count = 0
      static func update(_ state: inout Inner, _ action: Int) -> Effect {
        switch action {
        case 0:
          return .concatenate(
            .set { $0.log.append("set") },
            .read { .set(\.count, to: $0.log.count) },
            .update { state in
              state.log.append("update")
              return .perform { name in .append(name, to: \.log) }
            },
            .task { throw Failure() }.recover { _ in .append("recovered", to: \.log) },
            .merge(.append("merged", to: \.log), .sleep(.seconds(1)).label("pause")),
            .task { throw Failure() }.retry(.constant(.zero).limitedTo(attempts: 3))
              .recover { _ in .append("gave up", to: \.log) },
            .sleep(.seconds(3_600)).timeout(.seconds(1), else: .append("late", to: \.log)),
            .perform { name in .append("debounced \(name)", to: \.log) }.debounce(for: .seconds(1), id: "d"),
            .race(.append("won", to: \.log), .append("lost", to: \.log)),
            .append("body", to: \.log).finally(.append("finally", to: \.log)),
            .stream([1, 2].stream) { number in .append("element \(number)", to: \.log) }
          )
        default:
          return .cancelAll()
        }
      }
    }
    struct Outer: Model {
      typealias Action = Int
      var inner = Inner()
      static func update(_ state: inout Outer, _ action: Int) -> Effect {
        update(Part(\.inner), of: &state, action, as: { $0 }, environment: { $0.name })
      }
      struct Names: Sendable { var name = "Ada" }
      typealias Environment = Names
    }
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Outer(), env: Outer.Names())
    let outcome = await store.send(0).outcome
    #expect(outcome.isFinished)
    await simulation.settle()
    #expect(simulation.clock.now.offset == .seconds(3))
    #expect(store.inner.count == 1)
    #expect(
      store.inner.log == [
        "set", "update", "Ada", "recovered", "merged", "gave up", "late", "debounced Ada", "won", "body",
        "finally", "element 1", "element 2",
      ])
  }
}

extension Array where Element: Sendable {
  /// The elements as an asynchronous sequence.
  fileprivate var stream: AsyncStream<Element> {
    AsyncStream { continuation in
      for element in self { continuation.yield(element) }
      continuation.finish()
    }
  }
}
