import Testing

@testable import AsyncStore

@Suite("Strategies of streams and bindings")
struct StreamStrategyTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// Returns the effect of a value, which takes a second and logs the value.
  func work(_ value: Int) -> Effect {
    .concatenate(.log("\(value) begins"), .sleep(.seconds(1)), .log("\(value) ends"))
  }

  @Test("With `each`, a value's effect begins at once, beside those of the values before it")
  func each() {
    let (up, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: up, on: \.count) { self.work($0) }
    up.receive(.set(\.count, to: 1))
    up.receive(.set(\.count, to: 2))
    #expect(down.log == ["0 begins", "1 begins", "2 begins"])
    harness.advance(by: .seconds(1))
    #expect(down.log.suffix(3) == ["0 ends", "1 ends", "2 ends"])
  }

  @Test("With `latest`, a new value cancels what the last one started, with the barrier")
  func latest() {
    let (up, down) = (harness.store(), harness.store())
    let gate = Gate()
    down.bind(id: "b", to: up, on: \.count, strategy: .latest) {
      .merge(
        self.work($0), .logTask("never \($0)", after: gate).timeout(.seconds(2)),
        .timer(.seconds(9), id: "t") { _ in .log("tick") })
    }
    harness.settle()
    up.receive(.set(\.count, to: 1))
    harness.advance(by: .milliseconds(500))
    up.receive(.set(\.count, to: 2))
    harness.settle()
    #expect(gate.arrivals == 3)
    harness.advance(by: .seconds(3))
    gate.open()
    harness.advance(by: .seconds(8))
    #expect(down.log == ["0 begins", "1 begins", "2 begins", "2 ends", "tick"])
    down.receive(.cancel("b"))
    #expect(down.remains == [])
  }

  @Test("With `serial`, a value's effect begins when that of the value before it has settled")
  func serial() {
    let (up, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: up, on: \.count, strategy: .serial) { self.work($0) }
    for value in 1...3 { up.receive(.set(\.count, to: value)) }
    #expect(down.log == ["0 begins"])
    harness.advance(by: .seconds(4))
    #expect(down.log == (0...3).flatMap { ["\($0) begins", "\($0) ends"] })
  }

  @Test("With `serial` and room for two, a new value drops the oldest that waits")
  func serialBuffering() {
    let recorder = Recorder()
    let (up, down) = (harness.store(), harness.store(instrument: recorder))
    down.bind(id: "b", to: up, on: \.count, strategy: .serial(capacity: 2)) { self.work($0) }
    for value in 1...5 { up.receive(.set(\.count, to: value)) }
    #expect(recorder.events.count { if case .dropped = $0.kind { true } else { false } } == 3)
    harness.advance(by: .seconds(9))
    #expect(down.log == [0, 4, 5].flatMap { ["\($0) begins", "\($0) ends"] })
    up.receive(.set(\.count, to: 6))
    harness.advance(by: .seconds(1))
    #expect(down.log.last == "6 ends")
    up.receive(.set(\.count, to: 7))
    up.receive(.set(\.count, to: 8))
    down.receive(.cancel("b"))
    harness.advance(by: .seconds(9))
    #expect(down.log.last == "7 begins")
    #expect(down.remains == [])
  }

  @Test("With `serial`, what waits still runs after the sequence has ended")
  func serialAfterTheEnd() {
    let store = harness.store()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    store.bind(id: "s", stream: stream, strategy: .serial) { self.work($0) }
    for value in 1...3 { continuation.yield(value) }
    continuation.finish()
    harness.advance(by: .seconds(9))
    #expect(store.log == (1...3).flatMap { ["\($0) begins", "\($0) ends"] })
    #expect(store.remains == [])
  }

  @Test("A stream's elements come in order, each once; the binding ends with the sequence")
  func streamInOrder() {
    let store = harness.store()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    store.bind(id: "s", stream: stream) { .log($0) }
    for value in 1...100 {
      continuation.yield(value)
      if value.isMultiple(of: 10) { harness.settle() }
    }
    #expect(store.log == (1...100).map(\.description))
    continuation.finish()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("A stream of the same id replaces the old one, whose sequence is released")
  func streamIsReplaced() {
    let store = harness.store()
    let (first, one) = AsyncStream<Int>.makeStream()
    let (second, two) = AsyncStream<Int>.makeStream()
    let isOver = Note(false)
    one.onTermination = { _ in isOver.value = true }
    store.bind(id: "s", stream: first) { .log("first \($0)") }
    one.yield(1)
    harness.settle()
    store.bind(id: "s", stream: second) { .log("second \($0)") }
    one.yield(2)
    two.yield(3)
    harness.settle()
    #expect(store.log == ["first 1", "second 3"])
    #expect(isOver.value)
    store.deactivate()
  }

  @Test("With `latest`, a value that maps to none cancels what the last one started")
  func latestNone() {
    let store = harness.store()
    store.bind(id: "search", to: \.count, strategy: .latest) { count in
      count == 0 ? .none : .concatenate(.sleep(.seconds(1)), .log("found \(count)"))
    }
    store.receive(.set(\.count, to: 1))
    store.receive(.set(\.count, to: 0))
    harness.advance(by: .seconds(2))
    #expect(store.log == [])
  }
}
