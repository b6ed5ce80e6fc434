import Testing

@testable import AsyncStore

@Suite("A set by key path keeps a small, trivial and stored value in the effect itself")
struct AssignmentTests {
  enum Mode: UInt8 { case idle, running, stopped }

  struct Triple: Equatable {
    var first: UInt8 = 1
    var second: UInt8 = 2
    var third: UInt8 = 3
  }

  struct Inner: Equatable {
    var flag = false
    var number: Int32 = -1
  }

  @propertyWrapper struct Limited: Equatable {
    private var value: Int8 = 0
    var wrappedValue: Int8 {
      get { value }
      set { value = min(newValue, 10) }
    }
    init(wrappedValue: Int8) { self.wrappedValue = wrappedValue }
  }

  protocol Counting: Sendable {
    var number: Int { get set }
  }

  struct Doubling: Counting {
    private var half = 0
    var number: Int {
      get { half * 2 }
      set { half = newValue / 2 }
    }
  }

  final class Shared: Sendable {
    init() {}
  }

  /// A state in which each property has neighbors that an extra byte would change.
  struct State: Equatable {
    var before: UInt8 = 0xAA
    var bool = false
    var byte: UInt8 = 0
    var triple = Triple()
    var short: Int16 = 0
    var inner = Inner()
    var word: Int32 = 0
    var mode = Mode.idle
    var double = 0.5
    var number = 0
    var optional: Int? = 1
    var small: UInt32? = 2
    var pair = Pair()
    var text = "text"
    var observed = 0 { didSet { changes += 1 } }
    var outer = Inner() { willSet { changes += newValue.flag ? 10 : 100 } }
    @Limited var limited: Int8 = 0
    var changes = 0
    var after: UInt8 = 0x55

    var computed: Int {
      get { number / 2 }
      set { number = newValue * 2 }
    }
  }

  struct Pair: Equatable {
    var low = 1
    var high = 2
  }

  /// Sends the effect to a store: alone, in a list, enclosed, and from a task.
  ///
  /// Compares each with the plain assignment.
  ///
  /// The caller writes the key path out where it makes the effect, because the optimizer works out much of the result
  /// there.
  private func check(
    _ effect: AsyncStore<State, Void>.Effect, isAssignment: Bool,
    _ location: Testing.SourceLocation = #_sourceLocation, byHand change: (inout State) -> Void
  ) async {
    var expected = State()
    change(&expected)
    let effects: [AsyncStore<State, Void>.Effect] = [
      effect, .concatenate(effect), .merge(effect, .sleep(.zero)), effect.id("id"), .task { effect },
    ]
    for effect in effects {
      let store = AsyncStore<State, Void>(state: State(), env: ())
      await store.run(effect)
      #expect(store.state == expected, sourceLocation: location)
    }
    guard case .set(let mutation) = effect else { return #expect(Bool(false), sourceLocation: location) }
    if case .assignment = mutation.change {
      #expect(isAssignment, sourceLocation: location)
    } else {
      #expect(!isAssignment, sourceLocation: location)
    }
  }

  @Test("A small, trivial and stored property is assigned, and nothing else is") func assigned() async {
    await check(.set(\.bool, to: true), isAssignment: true) { $0.bool = true }
    await check(.set(\.byte, to: 0xFF), isAssignment: true) { $0.byte = 0xFF }
    await check(.set(\.triple, to: Triple(first: 9, second: 8, third: 7)), isAssignment: true) {
      $0.triple = Triple(first: 9, second: 8, third: 7)
    }
    await check(.set(\.short, to: .min), isAssignment: true) { $0.short = .min }
    await check(.set(\.word, to: .min), isAssignment: true) { $0.word = .min }
    await check(.set(\.mode, to: .stopped), isAssignment: true) { $0.mode = .stopped }
    await check(.set(\.double, to: .infinity), isAssignment: true) { $0.double = .infinity }
    await check(.set(\.number, to: .min), isAssignment: true) { $0.number = .min }
    await check(.set(\.small, to: nil), isAssignment: true) { $0.small = nil }
    await check(.set(\.small, to: .max), isAssignment: true) { $0.small = .max }
    await check(.set(\.inner.flag, to: true), isAssignment: true) { $0.inner.flag = true }
    await check(.set(\.inner, to: Inner(flag: true, number: 7)), isAssignment: true) {
      $0.inner = Inner(flag: true, number: 7)
    }
    await check(.set(\.pair.high, to: .max), isAssignment: true) { $0.pair.high = .max }
  }

  @Test("Any other property is set by a closure") func closures() async {
    await check(.set(\.optional, to: nil), isAssignment: false) { $0.optional = nil }
    await check(.set(\.pair, to: Pair(low: 3, high: 4)), isAssignment: false) { $0.pair = Pair(low: 3, high: 4) }
    await check(.set(\.text, to: "other"), isAssignment: false) { $0.text = "other" }
    await check(.set(\.self, to: State(number: 7)), isAssignment: false) { $0 = State(number: 7) }
    await check(.set(\.computed, to: 21), isAssignment: false) { $0.computed = 21 }
    await check(.set(\.observed, to: 1), isAssignment: false) { $0.observed = 1 }
    await check(.set(\.outer.flag, to: true), isAssignment: false) { $0.outer.flag = true }
    await check(.set(\.limited, to: 99), isAssignment: false) { $0.limited = 99 }
    await check(.set(\.optional!, to: 5), isAssignment: false) { $0.optional! = 5 }
  }

  @Test("A whole state that is small is assigned") func wholeState() {
    let store = AsyncStore<Int, Void>(state: 1, env: ())
    store.receive(.set(\.self, to: 2))
    #expect(store.state == 2)
  }

  @Test("An element of a tuple is assigned") func tuples() {
    let store = AsyncStore<(low: Int, high: Int), Void>(state: (1, 2), env: ())
    store.receive(.set(\.high, to: 3))
    #expect(store.state == (1, 3))
  }

  @Test("A property that is a protocol's requirement is assigned through the type that has it") func requirements() {
    func count<Root: Counting>(_ number: Int, in root: Root) -> Int {
      let store = AsyncStore<Root, Void>(state: root, env: ())
      store.receive(.set(\.number, to: number))
      return store.state.number
    }
    #expect(count(7, in: Doubling()) == 6)
    let existential = AsyncStore<any Counting, Void>(state: Doubling(), env: ())
    existential.receive(.set(\.number, to: 9))
    #expect(existential.number == 8)
  }

  @Test("A part's assignment becomes one of the whole's part, with and without a wrapper") func parts() {
    let embed = EffectEmbedding<State, Void, Inner, Void>(
      get: { $0.inner }, modify: { $1(&$0.inner) }, environment: { $0 }, send: { _ in .none }, prefix: nil)
    var expected = State()
    expected.inner.number = 7
    for effect in [embed(.set(\.number, to: 7)), embed(.set(\.number, to: 7)).published { $0() }] {
      let store = AsyncStore<State, Void>(state: State(), env: ())
      store.receive(effect)
      #expect(store.state == expected)
    }
  }

  @Test("A store on an actor is assigned to from elsewhere, by effects of one kind and of several") func actors() async
  {
    let desk = Desk()
    let store = AsyncStore<State, Void>(state: State(), env: (), isolation: desk)
    await store.run(.set(\.bool, to: true))
    await store.run(.concatenate(.set(\.byte, to: 7), .set(\.word, to: 1)))
    var expected = State()
    (expected.bool, expected.byte, expected.word) = (true, 7, 1)
    #expect(store.state == expected)
  }

  @Test("Generic code, which knows the types only at run time, assigns in the same way") func generics() {
    func set<Root: Sendable, Value: Sendable>(
      _ keyPath: WritableKeyPath<Root, Value> & Sendable, _ value: Value, in root: Root
    ) -> Root {
      let store = AsyncStore<Root, Void>(state: root, env: ())
      store.receive(.set(keyPath, to: value))
      return store.state
    }
    #expect(set(\State.short, 3, in: State()).short == 3)
    #expect(set(\State.pair.high, 3, in: State()).pair == Pair(high: 3))
    #expect(set(\State.outer.flag, true, in: State()).changes == 10)
    #expect(set(\State.text, "3", in: State()).text == "3")
    #expect(set(\[Int].[1], 7, in: [1, 2, 3]) == [1, 7, 3])
    #expect(set(\[String: Int].["b"], 2, in: ["a": 1]) == ["a": 1, "b": 2])
  }

  @Test("A property of an object that the state refers to is assigned there") func objects() {
    final class Box: @unchecked Sendable { var number = 1 }
    struct Holder: Sendable { let box = Box() }
    let holder = Holder()
    let store = AsyncStore<Holder, Void>(state: holder, env: ())
    store.receive(.set(\.box.number, to: 2))
    #expect(holder.box.number == 2)
    #expect(store.state.box === holder.box)
  }

  @Test("A reference that is assigned is counted") func references() {
    struct Holder: Sendable { var shared: Shared? = nil }
    weak var weakly: Shared?
    do {
      let store = AsyncStore<Holder, Void>(state: Holder(), env: ())
      let shared = Shared()
      weakly = shared
      store.receive(.set(\.shared, to: shared))
      #expect(store.state.shared === shared)
      store.receive(.set(\.shared, to: nil))
      #expect(store.state.shared == nil)
    }
    #expect(weakly == nil)
  }

  @Test("An assignment knows where it was written") func location() {
    let line = #line + 1
    let effect = AsyncStore<State, Void>.Effect.set(\.number, to: 1)
    #expect(effect.summary.kind == .set)
    #expect(effect.summary.location?.line == line)
    #expect(effect.summary.location?.file == #fileID)
  }

  /// Generic code asks for the type of larger values in order to pass them on.
  @Test("An effect is four words at most") func size() {
    #expect(MemoryLayout<AsyncStore<State, Void>.Effect>.size <= 4 * MemoryLayout<UInt64>.size)
  }

  @Test("Observers see each assignment") func observers() {
    let source = AsyncStore<State, Void>(state: State(), env: ())
    let store = AsyncStore<State, Void>(state: State(), env: ())
    store.bind(id: "number", to: source, on: \.number) { .set(\.number, to: $0) }
    store.bind(id: "mode", to: source, on: \.mode) { .set(\.mode, to: $0) }
    for number in 1...10 {
      source.receive(
        .concatenate(.set(\.number, to: number), .set(\.mode, to: number.isMultiple(of: 2) ? .running : .stopped)))
      #expect(store.state.number == number)
      #expect(store.state.mode == (number.isMultiple(of: 2) ? .running : .stopped))
    }
  }
}
