import AsyncStore
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

/// The deprecated spellings, called through a protocol because a direct use would be a warning.
private protocol FirstSpellings {
  typealias Effect = CounterStore.Effect
  typealias Load = @Sendable () async throws -> Effect

  func task(_ load: @escaping Load) -> Effect
  func debounce(_ search: @escaping Load) -> Effect
  func debounceDataTask(_ text: String, _ search: @escaping @Sendable (String) async throws -> Effect) -> Effect
  func insert(_ item: String) -> Effect
  func remove() -> Effect
  func bind(_ store: CounterStore, to events: AsyncStream<Int>)
  func stream(of store: CounterStore) -> CounterStore.Values<Int>
}

private struct Spellings: FirstSpellings {
  @available(*, deprecated)
  func task(_ load: @escaping Load) -> Effect { .task(operation: load, id: "load") }

  @available(*, deprecated)
  func debounce(_ search: @escaping Load) -> Effect { .debounce(operation: search, id: "search", delay: 0.5) }

  @available(*, deprecated)
  func debounceDataTask(_ text: String, _ search: @escaping @Sendable (String) async throws -> Effect) -> Effect {
    .debounceDataTask(text, search, "search", 0.5)
  }

  @available(*, deprecated)
  func insert(_ item: String) -> Effect { .insert(item, at: 0, to: \.items) }

  @available(*, deprecated)
  func remove() -> Effect { .remove(at: 0, from: \.items) }

  @available(*, deprecated)
  func bind(_ store: CounterStore, to events: AsyncStream<Int>) {
    store.bind(id: "events", to: events) { number in .set { $0.count += number } }
  }

  @available(*, deprecated)
  func stream(of store: CounterStore) -> CounterStore.Values<Int> { store.stream(for: "count", at: \.count) }
}

/// The rows of the guide *Coming from AsyncStore 0.0*, each under its left column.
@Suite("Coming from AsyncStore 0.0")
struct ComingFromAsyncStoreTests {
  private let spellings: any FirstSpellings = Spellings()
  let store = CounterStore(state: Counter(), env: UserService())

  /// Interprets effects one right after the other, and returns their results before half a second and after it.
  private func afterHalfASecond(_ effects: CounterStore.Effect...) async throws -> (before: [String], after: [String]) {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: UserService())
      for effect in effects { store.receive(effect) }
      await simulation.clock.advance(by: .milliseconds(499))
      let before = store.items
      await simulation.clock.advance(by: .milliseconds(1))
      return (before, store.items)
    }
  }

  // MARK: Overview

  @Test("Concurrent effects replace one queue, in which a `sleep` held up all that came after it")
  func queue() async {
    let sleep = store.receive(.sleep(.seconds(3_600)).id("sleep"))
    store.receive(.set(\.count, to: 1))
    #expect(store.count == 1)
    store.receive(.cancel("sleep"))
    #expect("\(await sleep.outcome)" == "cancelled")
  }

  @Test("An empty merge ends at once; in 0.0, `merge([])` never ended")
  func mergeOfNothing() {
    let none = store.receive(.none)
    let merge = store.receive(.merge(effects: []))
    #expect(merge.isSettled)
    #expect(none.isSettled)
    #expect("\(CounterStore.Effect.merge(effects: []))" == "\(CounterStore.Effect.none)")
  }

  @Test("A merge waits for all that it contains; in 0.0, a `merge` did not wait for its tasks")
  func merge() async {
    let gate = Gate()
    let handle = store.receive(
      .concatenate(
        .merge(
          .task {
            try await gate.pass()
            return .append("a", to: \.items)
          },
          .concatenate(
            .none,
            .task {
              try await gate.pass()
              return .append("a", to: \.items)
            })),
        .append("b", to: \.items)))
    await gate.arrival()
    await gate.arrival()
    #expect(store.items == [])
    gate.open()
    _ = await handle.outcome
    #expect(store.items == ["a", "a", "b"])
  }

  @Test("A cancelled effect changes nothing; in 0.0, results landed after `cancel` and `deactivate`")
  func barriers() async {
    let (cancelled, deactivated) = (Gate(), Gate())
    func load(_ gate: Gate) -> CounterStore.Effect {
      .task {
        // Returns a result although it is cancelled.
        try? await gate.pass()
        return .append("late", to: \.items)
      }
    }
    let first = store.receive(load(cancelled).id("load"))
    await cancelled.arrival()
    store.receive(.cancel("load"))
    cancelled.open()
    _ = await first.outcome
    #expect(store.items == [])
    let second = store.receive(load(deactivated))
    await deactivated.arrival()
    store.deactivate()
    deactivated.open()
    _ = await second.outcome
    #expect(store.items == [])
  }

  @Test("No effect in flight keeps a store alive; in 0.0, stores never went away")
  func lifetime() async {
    let gate = Gate()
    weak var dropped: CounterStore?
    do {
      let store = CounterStore(state: Counter(), env: UserService())
      dropped = store
      store.receive(
        .task {
          try await gate.pass()
          return .none
        })
      store.receive(.sleep(.seconds(3_600)))
      await gate.arrival()
    }
    #expect(dropped == nil)
  }

  @Test(
    "A name is a store's own; in 0.0, two stores that bound one upstream under the same identifier cut each other off")
  func names() {
    let others = (1...2).map { _ in CounterStore(state: Counter(), env: UserService()) }
    for other in others { other.bind(id: "count", to: store, on: \.count) { .set(\.count, to: $0) } }
    store.receive(.set(\.count, to: 1))
    #expect(others.map(\.count) == [1, 1])
    others[0].receive(.cancel("count"))
    store.receive(.set(\.count, to: 2))
    #expect(others.map(\.count) == [1, 2])
  }

  @Test("`values(of:)`, for any number of readers, replaces `stream(for:at:)`")
  func readers() async {
    var (first, second) = (store.values(of: \.count).makeAsyncIterator(), store.values(of: \.count).makeAsyncIterator())
    #expect(await first.next() == 0)
    #expect(await second.next() == 0)
    store.receive(.set(\.count, to: 1))
    #expect(await first.next() == 1)
    #expect(await second.next() == 1)
  }

  @Test("An effect takes a `Duration`, and still takes times in seconds")
  func seconds() async throws {
    for sleep in [.sleep(.seconds(0.5)), .sleep(0.5)] as [CounterStore.Effect] {
      let outcome = try await afterHalfASecond(.concatenate(sleep, .append("slept", to: \.items)))
      #expect(outcome == ([], ["slept"]))
    }
  }

  @Test("`isolation: MainActor.shared` replaces commits on the main queue")
  func isolation() async {
    let views = CounterStore(state: Counter(), env: UserService(), isolation: MainActor.shared)
    await views.run(
      .task {
        .set { state in
          MainActor.assertIsolated()
          state.count += 1
        }
      })
    #expect(views.count == 1)
    // Without an actor no caller has to wait for a turn.
    store.receive(.set(\.count, to: 1))
    #expect(store.count == 1)
  }

  @Test("`receive` commits all up to the first wait; in 0.0, `receive` returned before anything had happened")
  func prefix() async {
    let handle = store.receive(
      .concatenate(
        .set(\.count, to: 1), .append("a", to: \.items), .sleep(.seconds(3_600)), .append("b", to: \.items)))
    #expect(store.count == 1)
    #expect(store.items == ["a"])
    handle.cancel()
    #expect(store.items == ["a"])
  }

  // MARK: Spellings

  @Test(#"`.task(load, "load")` replaces `.task(operation: load, id: "load")`"#)
  func task() async {
    let load: @Sendable () async throws -> CounterStore.Effect = { .append("loaded", to: \.items) }
    for task in [.task(load, "load"), spellings.task(load)] {
      let handle = store.receive(task)
      #expect(store.inFlight.map(\.identifier) == ["load"])
      _ = await handle.outcome
    }
    #expect(store.items == ["loaded", "loaded"])
  }

  @Test(#"`.debounce(_:for:id:)` replaces `.debounce(operation: search, id: "search", delay: 0.5)`"#)
  func debounce() async throws {
    let search: @Sendable () async throws -> CounterStore.Effect = { .append("found", to: \.items) }
    for debounce in [.debounce(search, for: .seconds(0.5), id: "search"), spellings.debounce(search)] {
      let outcome = try await afterHalfASecond(debounce, debounce)
      #expect(outcome == ([], ["found"]))
    }
  }

  @Test(#"`.dataTask(_:_:).debounce(for:id:)` replaces `.debounceDataTask(text, search, "search", 0.5)`"#)
  func debounceDataTask() async throws {
    let search: @Sendable (String) async throws -> CounterStore.Effect = { .append($0, to: \.items) }
    let effects: [@Sendable (String) -> CounterStore.Effect] = [
      { text in .dataTask(text, search).debounce(for: .seconds(0.5), id: "search") },
      { text in (Spellings() as any FirstSpellings).debounceDataTask(text, search) },
    ]
    for effect in effects {
      let outcome = try await afterHalfASecond(effect("a"), effect("b"))
      #expect(outcome == ([], ["b"]))
    }
  }

  @Test(#"`.insert(_:into:at:)` replaces `.insert(item, at: 0, to: \.items)`"#)
  func insert() {
    store.receive(.insert("a", into: \.items, at: 0))
    store.receive(spellings.insert("b"))
    #expect(store.items == ["b", "a"])
  }

  @Test(#"`.remove(from:at:)` replaces `.remove(at: 0, from: \.items)`"#)
  func remove() {
    store.receive(.set(\.items, to: ["a", "b", "c"]))
    store.receive(.remove(from: \.items, at: 0))
    store.receive(spellings.remove())
    #expect(store.items == ["c"])
  }

  @Test(#"`bind(id:stream:)` replaces `bind(id: "events", to: events) { … }`, of a sequence"#)
  func sequences() async throws {
    let old = CounterStore(state: Counter(), env: UserService())
    let (events, continuation) = AsyncStream.makeStream(of: Int.self)
    let (oldEvents, oldContinuation) = AsyncStream.makeStream(of: Int.self)
    store.bind(id: "events", stream: events) { number in .set { $0.count += number } }
    spellings.bind(old, to: oldEvents)
    for number in [1, 1] {
      continuation.yield(number)
      oldContinuation.yield(number)
    }
    try await store.wait(for: \.count, toEqual: 2)
    try await old.wait(for: \.count, toEqual: 2)
  }

  @Test(#"`values(of:)` replaces `stream(for: "count", at: \.count)`"#)
  func stream() async {
    for values in [store.values(of: \.count), spellings.stream(of: store)] {
      store.receive(.set(\.count, to: 0))
      var values = values.makeAsyncIterator()
      #expect(await values.next() == 0)
      store.receive(.set(\.count, to: 1))
      #expect(await values.next() == 1)
    }
  }

  @Test("`store.wait(for:toEqual:timeout:)` replaces `AsyncStoreCondition(store).wait(for:toEqual:timeout:)`")
  func waiting() async throws {
    let gate = Gate()
    store.receive(
      .task {
        try await gate.pass()
        return .set(\.count, to: 1)
      })
    await #expect(throws: (any Error).self) { try await store.wait(for: \.count, toEqual: 1, timeout: .zero) }
    gate.open()
    try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(3_600))
    #expect(store.count == 1)
  }

  @Test("Operators before the binding replace `.debounce(for:)` and `removeDuplicates()` of a sequence")
  func operators() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: Int.self)
    let last = Mutex<Int?>(nil)
    // Replaces `removeDuplicates()` of swift-async-algorithms. The sequence that an operator makes is bound, too.
    let distinct = events.filter { event in
      last.withLock { last in
        defer { last = event }
        return last != event
      }
    }
    store.bind(id: "events", stream: distinct) { number in .append("\(number)", to: \.items) }
    for event in [1, 1, 2, 2, 1] { continuation.yield(event) }
    try await store.wait(for: \.items, toEqual: ["1", "2", "1"])
  }

  @Test("A `StoreInstrument` replaces `AsyncStoreLog`")
  func instrument() {
    let recorder = Recorder()
    let store = CounterStore(state: Counter(), env: UserService(), instrument: recorder)
    store.receive(.set(\.count, to: 1))
    #expect(!recorder.lines.isEmpty)
  }
}
