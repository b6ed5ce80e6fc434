import AsyncStoreTesting
import Testing

@testable import AsyncStore

/// A `set` by key path, whose value lies in the effect itself where it is small, trivial and stored.
@Suite struct AssignmentTests {
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

  final class Shared: Sendable {
    init() {}
  }

  /// Every property has neighbours that a byte too many would change.
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

  /// Sends the effect to a store, alone, in a list, enclosed, and from a task, each beside the plain assignment.
  private func check<Value: Equatable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, _ value: Value, isAssignment: Bool,
    _ location: Testing.SourceLocation = #_sourceLocation
  ) async {
    var expected = State()
    expected[keyPath: keyPath] = value
    let effect = AsyncStore<State, Void>.Effect.set(keyPath, to: value)
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

  @Test func smallTrivialStoredPropertiesAreAssignedInPlace() async {
    await check(\.bool, true, isAssignment: true)
    await check(\.byte, 0xFF, isAssignment: true)
    await check(\.triple, Triple(first: 9, second: 8, third: 7), isAssignment: true)
    await check(\.short, .min, isAssignment: true)
    await check(\.word, .min, isAssignment: true)
    await check(\.mode, .stopped, isAssignment: true)
    await check(\.double, .infinity, isAssignment: true)
    await check(\.number, .min, isAssignment: true)
    await check(\.small, nil, isAssignment: true)
    await check(\.small, .max, isAssignment: true)
    await check(\.inner.flag, true, isAssignment: true)
    await check(\.inner, Inner(flag: true, number: 7), isAssignment: true)
    await check(\.pair.high, .max, isAssignment: true)
  }

  @Test func whateverElseIsKeptInAClosure() async {
    await check(\.optional, nil, isAssignment: false)
    await check(\.pair, Pair(low: 3, high: 4), isAssignment: false)
    await check(\.text, "other", isAssignment: false)
    await check(\.self, State(number: 7), isAssignment: false)
    await check(\.computed, 21, isAssignment: false)
    await check(\.observed, 1, isAssignment: false)
    await check(\.optional!, 5, isAssignment: false)
  }

  @Test func aWholeStateThatIsSmallIsAssignedInPlace() {
    let store = AsyncStore<Int, Void>(state: 1, env: ())
    store.receive(.set(\.self, to: 2))
    #expect(store.state == 2)
  }

  /// The types are known only at run time here.
  @Test func genericCodeDoesTheSame() async {
    func set<Root: Sendable, Value: Sendable>(
      _ keyPath: WritableKeyPath<Root, Value> & Sendable, _ value: Value, in root: Root
    ) -> Root {
      let store = AsyncStore<Root, Void>(state: root, env: ())
      store.receive(.set(keyPath, to: value))
      return store.state
    }
    #expect(set(\State.short, 3, in: State()).short == 3)
    #expect(set(\State.text, "3", in: State()).text == "3")
    #expect(set(\[Int].[1], 7, in: [1, 2, 3]) == [1, 7, 3])
    #expect(set(\[String: Int].["b"], 2, in: ["a": 1]) == ["a": 1, "b": 2])
  }

  /// A property of an object that the state refers to is no part of the state's memory.
  @Test func aPropertyOfAnObjectIsAssignedThere() {
    final class Box: @unchecked Sendable { var number = 1 }
    struct Holder: Sendable { let box = Box() }
    let holder = Holder()
    let store = AsyncStore<Holder, Void>(state: holder, env: ())
    store.receive(.set(\.box.number, to: 2))
    #expect(holder.box.number == 2)
    #expect(store.state.box === holder.box)
  }

  @Test func aReferenceIsCounted() {
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

  @Test func itIsDescribedAndLocated() {
    let line = #line + 1
    let effect = AsyncStore<State, Void>.Effect.set(\.number, to: 1)
    #expect(effect.summary.kind == .set)
    #expect(effect.summary.location?.line == line)
    #expect(effect.summary.location?.file == #fileID)
  }

  /// Generic code passes larger values on by asking for their type.
  @Test func anEffectIsFourWords() {
    #expect(MemoryLayout<AsyncStore<State, Void>.Effect>.size <= 4 * MemoryLayout<UInt64>.size)
  }

  @Test func observersSeeEachAssignment() async {
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
