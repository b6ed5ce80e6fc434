import Dispatch
import Testing

@testable import AsyncStore

@Suite("The values of a property")
struct ValuesTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  func collect(_ values: JournalStore.Values<Int>) -> Started<[Int]> {
    harness.start { await values.reduce(into: []) { $0.append($1) } }
  }

  @Test("Every reader gets the current value, then each that differs from the one before it, at its own pace")
  func severalReaders() {
    let store = harness.store()
    let first = collect(store.values(of: \.count))
    harness.settle()
    for value in [1, 1, 2] { store.receive(.set(\.count, to: value)) }
    let second = collect(store.values(of: \.count))
    let third = harness.start { await store.values(of: \.count).prefix(2).reduce(into: []) { $0.append($1) } }
    harness.settle()
    store.receive(.log("something else"))
    store.receive(.merge(.set(\.count, to: 3), .set(\.count, to: 2), .set(\.count, to: 2)))
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(first.value == [0, 1, 2, 3, 2])
    #expect(second.value == [2, 3, 2])
    #expect(third.value == [2, 3])
    #expect(store.remains == [])
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }

  @Test("A slow reader loses nothing by default")
  func unboundedBuffering() {
    let store = harness.store()
    let gate = Gate()
    let slow = readSlowly(store, .unbounded, gate)
    for value in 1...1_000 { store.receive(.set(\.count, to: value)) }
    gate.open()
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(slow.value?.values == Array(0...1_000))
    #expect(slow.value?.dropped == 0)
  }

  /// Reads counts, and stops at the first one until the gate is open.
  private func readSlowly(
    _ store: JournalStore, _ buffering: ValueBuffering, _ gate: Gate
  ) -> Started<(values: [Int], dropped: Int)> {
    let reading = harness.start { () -> (values: [Int], dropped: Int) in
      var (values, iterator) = ([Int](), store.values(of: \.count, buffering: buffering).makeAsyncIterator())
      while let value = await iterator.next() {
        values.append(value)
        if values.count == 1 { await gate.wait() }
      }
      return (values, iterator.droppedCount)
    }
    harness.settle()
    return reading
  }

  @Test("With room for the newest three a slow reader loses the oldest, and counts them")
  func newestBuffering() {
    let store = harness.store()
    let gate = Gate()
    let slow = readSlowly(store, .newest(3), gate)
    for value in 1...10 { store.receive(.set(\.count, to: value)) }
    gate.open()
    harness.settle()
    store.receive(.set(\.count, to: 11))
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(slow.value?.values == [0, 8, 9, 10, 11])
    #expect(slow.value?.dropped == 7)
  }

  @Test("A reader that has missed a value does not get the same one twice")
  func droppedBetweenEqualValues() {
    let store = harness.store()
    let gate = Gate()
    let slow = readSlowly(store, .newest(1), gate)
    for value in [1, 0] { store.receive(.set(\.count, to: value)) }
    gate.open()
    harness.settle()
    store.receive(.set(\.count, to: 2))
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(slow.value?.values == [0, 2])
    #expect(slow.value?.dropped == 2)
  }

  @Test("The values end when the reading task is cancelled")
  func cancelledReader() {
    let store = harness.store()
    let reader = collect(store.values(of: \.count))
    harness.settle()
    reader.cancel()
    harness.settle()
    #expect(reader.value == [0])
    #expect(store.runtime.lock { $0.observers.isEmpty })
    store.receive(.set(\.count, to: 1))
    #expect(store.remains == [])
  }

  @Test("A reader that has ended takes no value any more, though it is still notified of them")
  func endedReader() {
    let store = harness.store()
    let reader = ValueReader<Journal, Int>(\.count, capacity: .max)
    #expect(store.runtime.add(reader))
    reader.end()
    store.receive(.set(\.count, to: 1))
    #expect(reader.poll() == 0)
    #expect(reader.poll() == nil)
    store.runtime.remove(reader)
  }

  @Test("A NaN after a NaN is no new value, nor is any other value that equals nothing")
  func notANumber() {
    struct Measured: Sendable {
      struct Point: Sendable, Equatable { var x: Double, y: Double }
      var value = Double.nan
      var point = Point(x: .nan, y: 0)
      var other = 0
    }
    let store = harness.store(of: Measured(), env: ())
    let (values, points) = (Note(0), Note(0))
    store.bind(id: "value", to: \.value) { _ in
      values.change { $0 += 1 }
      return .none
    }
    store.bind(id: "point", to: \.point) { _ in
      points.change { $0 += 1 }
      return .none
    }
    for other in 1...3 { store.receive(.set(\.other, to: other)) }
    #expect([values.value, points.value] == [1, 1])
    store.receive(.set(\.point.y, to: 1))
    store.receive(.set(\.value, to: 1))
    store.receive(.set(\.value, to: .nan))
    #expect([values.value, points.value] == [3, 2])
  }

  @Test("The values of an element by its index are none, and the removal of the element does no harm")
  func elementsByIndex() throws {
    let store = harness.store(Journal(log: ["a", "b", "c"]))
    let values = store.values(of: \.log[2])
    let reader = harness.start { await values.reduce(into: []) { $0.append($1) } }
    store.receive(.set(\.log, to: []))
    harness.settle()
    #expect(reader.value == [])
  }

  @Test("A binding to an element by its index fails, and the removal of the element does no harm")
  func bindingsByIndex() {
    let errors = Note<[AsyncStoreError.Code]>([])
    let up = harness.store(Journal(log: ["a", "b", "c"]))
    let store = harness.store { error in
      if let code = (error as? AsyncStoreError)?.code { errors.change { $0.append(code) } }
      return .none
    }
    store.bind(id: "b", to: up, on: \.log[2]) { .log($0) }
    harness.settle()
    up.receive(.set(\.log, to: []))
    harness.settle()
    #expect(errors.value == [.unsafeKeyPath])
    #expect(store.remains == [])
  }

  @Test("Elements by key, optional elements and computed properties can be read at any time")
  func totalKeyPaths() {
    let store = harness.store(of: Catalogue(), env: ())
    let seen = Note<[String]>([])
    store.bind(id: 0, to: \.prices["tea"]) { price in
      seen.change { $0.append("tea \(price ?? 0)") }
      return .none
    }
    store.bind(id: 1, to: \.names.first?.count) { count in
      seen.change { $0.append("length \(count ?? 0)") }
      return .none
    }
    store.bind(id: 2, to: \.total) { total in
      seen.change { $0.append("total \(total)") }
      return .none
    }
    store.receive(.set { $0 = Catalogue(prices: [:], names: []) })
    #expect(seen.value == ["tea 3", "length 5", "total 3", "tea 0", "length 0", "total 0"])
  }

  private struct Catalogue: Sendable {
    var prices = ["tea": 3]
    var names = ["green"]
    var best: Shelf? = Shelf()
    var shelves = ["a": Shelf()]
    var total: Int { prices.values.reduce(0, +) }
    subscript(shelf name: String) -> Shelf { shelves[name] ?? Shelf(items: []) }
  }

  private struct Shelf: Sendable { var items = ["black"] }

  @Test("An element by its index is unsafe to read behind an optional or an element by key, too")
  func indicesInTheMiddle() {
    let unsafe: [KeyPath<Catalogue, String> & Sendable] = [\.names[0], \.[shelf: "a"].items[0]]
    #expect(unsafe.map(\.mayTrap) == [true, true])
    let optional: [KeyPath<Catalogue, String?> & Sendable] = [\.best?.items[0], \.best?.items.first, \.names.first]
    #expect(optional.map(\.mayTrap) == [true, false, false])
    #expect(!(\Catalogue.[shelf: "a"].items.first).mayTrap)
    #expect(!(\Catalogue.prices["tea"]).mayTrap)

    let store = harness.store(of: Catalogue(), env: ())
    let wait = harness.start { try await store.wait(for: \.[shelf: "a"].items[0], toEqual: "d") }
    harness.settle()
    store.receive(.set(\.shelves, to: [:]))
    harness.settle()
    #expect((wait.error as? AsyncStoreError)?.code == .unsafeKeyPath)
  }

  @Test("Nobody observes the store before a reader begins, nor after it has stopped")
  func readersLeave() {
    let store = harness.store()
    let values = store.values(of: \.count)
    #expect(store.runtime.lock { $0.observers.isEmpty })
    let reader = harness.start { await values.first { $0 == 2 } }
    harness.settle()
    #expect(!store.runtime.lock { $0.observers.isEmpty })
    for value in 1...3 { store.receive(.set(\.count, to: value)) }
    harness.settle()
    #expect(reader.value == 2)
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }
}

@Suite("Waiting for a value")
struct WaitTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A value that is there already is not waited for")
  func alreadyThere() throws {
    let store = harness.store(Journal(count: 3))
    try harness.wait { try await store.wait(for: \.count, toEqual: 3) }
    #expect(try harness.wait { try await store.wait(for: \.count, toSatisfy: { $0 > 2 }) } == 3)
  }

  @Test("The wait ends with the first value that satisfies the condition, however quickly it goes by")
  func firstValueThatSatisfies() {
    let store = harness.store()
    let wait = harness.start { try await store.wait(for: \.count, toSatisfy: { $0 > 2 }) }
    harness.settle()
    for value in [1, 5, 0] { store.receive(.set(\.count, to: value)) }
    harness.settle()
    #expect(wait.value == 5)
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }

  @Test("A value that is committed while the wait begins is not missed, though the next one follows at once")
  func valuesWhileItBegins() {
    let store = harness.store()
    let wait = harness.start {
      try await store.wait(
        for: \.count,
        toSatisfy: { count in
          if count == 0 { for next in [1, 2] { store.receive(.set(\.count, to: next)) } }
          return count == 1
        })
    }
    harness.settle()
    #expect(wait.value == 1)
  }

  @Test("A wait asks its condition about each value once")
  func eachValueOnce() {
    let store = harness.store()
    let asked = Note<[Int]>([])
    let wait = harness.start {
      try await store.wait(
        for: \.count,
        toSatisfy: { count in
          asked.change { $0.append(count) }
          return count == 2
        })
    }
    harness.settle()
    for count in 1...3 { store.receive(.set(\.count, to: count)) }
    harness.settle()
    #expect(wait.value == 2)
    #expect(asked.value == [0, 1, 2])
  }

  @Test("A wait for an element by its index is refused, and the removal of the element does no harm")
  func elementsByIndex() {
    let store = harness.store(Journal(log: ["a", "b", "c"]))
    let wait = harness.start { try await store.wait(for: \.log[2], toEqual: "d") }
    harness.settle()
    store.receive(.set(\.log, to: []))
    harness.settle()
    #expect((wait.error as? AsyncStoreError)?.code == .unsafeKeyPath)
    #expect((wait.error as? AsyncStoreError)?.description.contains("computed property") == true)
  }

  @Test("A wait that ends in time takes its deadline back")
  func inTime() {
    let store = harness.store()
    let wait = harness.start { try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(5)) }
    harness.advance(by: .milliseconds(4_999))
    #expect(!wait.isFinished)
    store.receive(.set(\.count, to: 1))
    harness.settle()
    #expect(wait.isFinished)
    #expect(wait.error == nil)
    #expect(harness.sleeperCount == 0)
  }

  @Test("A wait that takes too long throws, and says where it was asked for")
  func timedOut() throws {
    let store = harness.store()
    let wait = harness.start { try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(5)) }
    harness.advance(by: .seconds(5))
    let error = try #require(wait.error as? AsyncStoreError)
    #expect(error.code == .timedOut)
    #expect(error.description.contains("5.0 seconds"))
    #expect(error.location.file.hasSuffix("ValuesTests.swift"))
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }

  @Test("A value that was committed in time counts, though a thread that is busy has not delivered it")
  func undelivered() async throws {
    let clock = HandClock()
    let store = JournalStore(state: Journal(), env: (), clock: clock)
    let other = JournalStore(state: Journal(), env: ())
    let (isBusy, mayGoOn) = (Gate(), DispatchSemaphore(value: 0))
    other.bind(id: "busy", to: store, on: \.count) { count in
      if count == 1 {
        isBusy.open()
        mayGoOn.wait()
      }
      return .none
    }
    DispatchQueue.global().async { store.receive(.set(\.count, to: 1)) }
    await isBusy.wait()
    let wait = Task { try await store.wait(for: \.count, toEqual: 2, timeout: .seconds(5)) }
    while clock.deadlines.isEmpty { await Task.yield() }
    store.receive(.set(\.count, to: 2))
    clock.pass(to: .seconds(5))
    clock.wake(.seconds(5))
    let result = await wait.result
    mayGoOn.signal()
    #expect(throws: Never.self) { try result.get() }
  }

  @Test("A wait whose store is deactivated throws, as does one for a store that is not active")
  func storeEnded() throws {
    let store = harness.store()
    let wait = harness.start { try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(5)) }
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect((wait.error as? AsyncStoreError)?.code == .storeEnded)
    let late = harness.start { try await store.wait(for: \.count, toEqual: 1) }
    harness.settle()
    #expect((late.error as? AsyncStoreError)?.code == .storeEnded)
    #expect(harness.sleeperCount == 0)
  }

  @Test("A wait whose task is cancelled throws CancellationError")
  func cancelled() {
    let store = harness.store()
    let wait = harness.start { try await store.wait(for: \.count, toEqual: 1, timeout: .seconds(5)) }
    harness.settle()
    wait.cancel()
    harness.settle()
    #expect(wait.error is CancellationError)
    #expect(store.runtime.lock { $0.observers.isEmpty })
    #expect(harness.sleeperCount == 0)
  }
}
