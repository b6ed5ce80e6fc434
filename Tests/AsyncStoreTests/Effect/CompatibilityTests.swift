import Testing

@testable import AsyncStore

/// The earlier spellings, called through a protocol: a use of the deprecated members themselves would be a warning.
private protocol FirstSpellings {
  func effects() -> [JournalStore.Effect]
  func bind(_ store: JournalStore, to numbers: AsyncStream<Int>)
  func counts(of store: JournalStore) -> JournalStore.Values<Int>
}

private struct Spellings: FirstSpellings {
  @available(*, deprecated)
  func effects() -> [JournalStore.Effect] {
    [
      .task(operation: { .log("task") }, id: "task"),
      .debounce(operation: { .log("superseded") }, id: "search", delay: 0.5),
      .debounce(operation: { .log("debounced") }, id: "search", delay: 0.5),
      .debounceDataTask("data", { .log("debounced \($0)") }, "data", 1),
      .insert("first", at: 0, to: \.log),
      .remove(at: 0, from: \.log),
    ]
  }

  @available(*, deprecated)
  func bind(_ store: JournalStore, to numbers: AsyncStream<Int>) {
    store.bind(id: "numbers", to: numbers) { .log($0) }
  }

  @available(*, deprecated)
  func counts(of store: JournalStore) -> JournalStore.Values<Int> { store.stream(for: "counts", at: \.count) }
}

@Suite("The spellings of AsyncStore 0.0")
struct CompatibilityTests {
  private let spellings: any FirstSpellings = Spellings()
  let harness = Harness()

  @Test("Tasks, debounces and edits of collections do what their replacements do")
  func effects() {
    let store = harness.store()
    let effects = spellings.effects()
    store.receive(effects[0])
    harness.settle()
    #expect(store.log == ["task"])
    for debounce in effects[1...3] { store.receive(debounce) }
    #expect(Set(store.inFlight.compactMap(\.identifier)) == ["search", "data"])
    harness.advance(by: .milliseconds(500))
    #expect(store.log == ["task", "debounced"])
    harness.advance(by: .milliseconds(500))
    #expect(store.log == ["task", "debounced", "debounced data"])
    store.receive(effects[4])
    #expect(store.log.first == "first")
    store.receive(effects[5])
    #expect(store.log.first == "task")
    #expect(store.remains == [])
  }

  @Test("A sequence is bound under its identifier")
  func sequence() {
    let store = harness.store()
    let (numbers, continuation) = AsyncStream<Int>.makeStream()
    spellings.bind(store, to: numbers)
    continuation.yield(1)
    continuation.yield(1)
    harness.settle()
    #expect(store.log == ["1", "1"])
    store.receive(.cancel("numbers"))
    continuation.yield(2)
    harness.settle()
    #expect(store.log == ["1", "1"])
  }

  @Test("A stream of a property gives its values")
  func stream() throws {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.zero), .set(\.count, to: 1)))
    let values = spellings.counts(of: store)
    #expect(try harness.wait { await values.prefix(1).reduce(into: []) { $0.append($1) } } == [1])
  }
}
