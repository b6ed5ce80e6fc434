import AsyncStoreTesting
import Observation
import Testing

@testable import AsyncStore

/// Tasks of a store whose executor or clock is driven inside of mutations wait until the mutation is over.
@Suite("Laws 6, 7, 13, 14, 19 and 26, where a mutation runs a store's tasks", .timeLimit(.minutes(10)))
struct DrainedTasksLawTests {
  typealias Effect = JournalStore.Effect

  let harness = Harness()

  enum Body: CaseIterable {
    case operations, attempts, stream, failingStream, sleep, timer, longPass, timeout, shutdown, turn, wait, observation
    case cycle, streamBegins

    static let steps = 70 * 1_024

    var expected: [String] {
      switch self {
      case .operations, .attempts, .stream, .streamBegins, .timer, .turn: ["1", "2"]
      case .failingStream: ["mapped failed"]
      case .sleep: ["1"]
      case .longPass: ["\(Self.steps)"]
      case .timeout: ["else"]
      case .shutdown: ["undone"]
      case .wait: ["timed out"]
      case .observation: ["reported"]
      case .cycle: ["stopped"]
      }
    }
  }

  /// Runs jobs under the lock of the store itself, or of another store, and outside by turns.
  @Test(
    "The tasks continue after the mutation, whichever of their jobs it runs", arguments: Body.allCases, [false, true])
  func law06_drained(body: Body, isOwn: Bool) {
    for isFirstInside in [false, true] {
      let store = harness.store(
        isolation: body == .turn ? Office() : nil,
        instrument: body == .attempts ? Wrapper(clock: harness.clock) : nil, mapError: { .log("mapped \($0)") })
      let locked = isOwn ? store : harness.store()
      let notes = Note<[String]>([])
      let inside = { (work: @escaping @Sendable () -> Void) in
        // Not in a mutation of a store that is being shut down, which takes none, or that belongs to an actor.
        if body == .shutdown || body == .turn {
          locked.withState { _ in work() }
        } else {
          locked.receive(.set { _ in work() })
        }
      }
      begin(body, in: store, notes)
      for _ in 1...(body == .attempts ? 8 : 2) {
        inside { [harness] in harness.jump(by: .seconds(1)) }
        var isInside = isFirstInside
        while harness.runnableCount > 0 {
          if isInside { inside { [harness] in harness.step() } } else { harness.step() }
          isInside.toggle()
        }
      }
      #expect(store.log + notes.value == body.expected)
      store.deactivate()
      harness.settle()
      #expect(store.remains == [])
    }
  }

  @Test("An operation that is cancelled while the instrument waits to call it never runs")
  func law08_cancelledInInstrument() {
    let store = harness.store(instrument: Wrapper(clock: harness.clock))
    let hasRun = Note(false)
    let operation = Effect.task {
      hasRun.value = true
      return .none
    }
    let handle = store.receive(operation.id("x"))
    harness.settle()
    store.receive(.cancel("x"))
    harness.advance(by: .seconds(1))
    #expect(!hasRun.value)
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.remains == [])
  }

  private func begin(_ body: Body, in store: JournalStore, _ notes: Note<[String]>) {
    let note = { @Sendable (line: String) in
      notes.change { $0.append(Thread.hasLockedStore ? "\(line) under a lock" : line) }
    }
    switch body {
    case .operations: store.receive(.concatenate(.logTask("1"), .logTask("2")))
    case .attempts:
      store.receive(
        .task(retrying: .constant(.milliseconds(1)).limitedTo(attempts: 2)) { attempt in
          if attempt.number == 1 { throw Failure("again") }
          return .concatenate(.log("1"), .log("\(attempt.number)"))
        })
    case .streamBegins: store.receive(.stream(Numbers { note("2") }) { .log("\($0)") })
    case .stream, .failingStream:
      let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
      store.receive(.stream(stream) { .log("\($0)") })
      harness.settle()
      if body == .stream { for number in 1...2 { continuation.yield(number) } }
      continuation.finish(throwing: body == .stream ? nil : Failure("failed"))
    case .sleep: store.receive(.concatenate(.sleep(.seconds(1)), .log("1")))
    case .timer: store.receive(.timer(.seconds(1), id: "timer") { .log("\($0.index)") })
    case .longPass: store.receive(.concatenate(.sleep(.seconds(1)), count(Body.steps)))
    case .timeout: store.receive(Effect.sleep(.seconds(60)).timeout(.seconds(1), else: .logTask("else")))
    case .shutdown:
      store.receive(Effect.sleep(.seconds(60)).finally(.logTask("undone")))
      _ = harness.start { try await store.shutdown(drain: .seconds(1)) }
      harness.settle()
    case .turn:
      store.receive(.log("1"))
      store.receive(.logTask("2"))
    case .wait:
      _ = harness.start {
        do {
          try await store.wait(for: \.other, toEqual: -1, timeout: .seconds(1))
        } catch {
          notes.change { $0.append("timed out") }
        }
      }
      harness.settle()
    case .observation:
      withObservationTracking {
        _ = store.count
        store.receive(.set(\.count, to: store.count + 1))
      } onChange: {
        note("reported")
      }
    case .cycle:
      // So long that the deliveries are handed over to a task.
      let twin = harness.store()
      twin.bind(id: "there", to: store, on: \.count) { .set(\.count, to: $0) }
      store.bind(id: "back", to: twin, on: \.count) { count in
        if count == 3_000 || Thread.hasLockedStore { note("stopped") }
        return count < 3_000 ? .set(\.count, to: count + 1) : .none
      }
      // The twin lives as long as this effect.
      store.receive(.concatenate(.sleep(.seconds(3_600)), .lift(.log("never"), to: twin)))
    }
  }

  private func count(_ steps: Int) -> Effect {
    .update { journal in
      journal.count += 1
      return journal.count < steps ? count(steps) : .log("\(journal.count)")
    }
  }
}

private actor Office {}

/// Suspends before it calls an operation.
private struct Wrapper: StoreInstrument {
  let clock: TestClock

  var interests: InstrumentInterests { [.operations] }

  func record(_ event: InstrumentEvent) {}

  func wrapOperation(
    _ record: EffectRecord, of store: StoreIdentity, _ body: OperationBody
  ) async {
    try? await clock.sleep(for: .milliseconds(1))
    _ = await body()
    try? await clock.sleep(for: .milliseconds(1))
  }
}

/// One number, which is made when the iteration begins.
private struct Numbers: AsyncSequence, Sendable {
  let begin: @Sendable () -> Void

  func makeAsyncIterator() -> AsyncStream<Int>.Iterator {
    begin()
    return AsyncStream { continuation in
      continuation.yield(1)
      continuation.finish()
    }.makeAsyncIterator()
  }
}
