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
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
  }

  @Test("A slow reader loses nothing by default")
  func unboundedBuffering() throws {
    let store = harness.store()
    let gate = Gate()
    let slow = harness.start { () -> [Int] in
      var (values, iterator) = ([Int](), store.values(of: \.count).makeAsyncIterator())
      while let value = await iterator.next() {
        values.append(value)
        if value == 0 { await gate.wait() }
      }
      #expect(iterator.dropped == 0)
      return values
    }
    harness.settle()
    for value in 1...1_000 { store.receive(.set(\.count, to: value)) }
    gate.open()
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(slow.value == Array(0...1_000))
  }

  @Test("With room for the newest three a slow reader loses the oldest, and counts them")
  func newestBuffering() {
    let store = harness.store()
    let gate = Gate()
    let slow = harness.start { () -> (values: [Int], dropped: Int) in
      var (values, iterator) = ([Int](), store.values(of: \.count, buffering: .newest(3)).makeAsyncIterator())
      while let value = await iterator.next() {
        values.append(value)
        if value == 0 { await gate.wait() }
      }
      return (values, iterator.dropped)
    }
    harness.settle()
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

  @Test("The values end when the reading task is cancelled")
  func cancelledReader() {
    let store = harness.store()
    let reader = collect(store.values(of: \.count))
    harness.settle()
    reader.cancel()
    harness.settle()
    #expect(reader.value == [0])
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
    store.receive(.set(\.count, to: 1))
    #expect(store.remains == [])
  }

  @Test("Nobody observes the store before a reader begins, nor after it has stopped")
  func readersLeave() {
    let store = harness.store()
    let values = store.values(of: \.count)
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
    let reader = harness.start { await values.first { $0 == 2 } }
    harness.settle()
    #expect(!store.runtime.core.withLock { $0.observers.isEmpty })
    for value in 1...3 { store.receive(.set(\.count, to: value)) }
    harness.settle()
    #expect(reader.value == 2)
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
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
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
  }

  @Test("A wait in time takes its deadline back")
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
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
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
    #expect(store.runtime.core.withLock { $0.observers.isEmpty })
    #expect(harness.sleeperCount == 0)
  }
}
