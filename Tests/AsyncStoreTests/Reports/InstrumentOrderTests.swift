import Synchronization
import Testing

@testable import AsyncStore

@Suite("The calls of an instrument")
struct InstrumentOrderTests {
  let harness = Harness()

  final class Nested: StoreInstrument {
    struct State { var depth = 0, most = 0; var store: JournalStore? }
    let state = Mutex(State())
    func record(_ event: InstrumentEvent) {
      let store = state.withLock { state -> JournalStore? in
        state.depth += 1
        state.most = max(state.most, state.depth)
        return state.store
      }
      if case .cancelled = event.kind { store?.receive(.log("late")) }
      state.withLock { $0.depth -= 1 }
    }
  }

  @Test("An instrument is called once at a time")
  func nestedInstrument() {
    let nested = Nested()
    let store = harness.store(instrument: nested)
    let gate = Gate()
    nested.state.withLock { $0.store = store }
    store.receive(.logTask("never", after: gate))
    store.deactivate()
    harness.settle()
    #expect(nested.state.withLock { $0.most } == 1)
    nested.state.withLock { $0.store = nil }
    gate.open()
    harness.settle()
  }

  final class Counting: StoreInstrument {
    let store = Mutex<JournalStore?>(nil)
    let counts = Mutex<[Int]>([])
    func record(_ event: InstrumentEvent) {
      guard case .settled = event.kind, let store = store.withLock({ $0 }) else { return }
      counts.withLock { $0.append(store.inFlightCount) }
    }
  }

  @Test("An instrument is notified of an effect's end when the effect is not in flight any more")
  func endsLater() {
    let counting = Counting()
    let store = harness.store(instrument: counting)
    counting.store.withLock { $0 = store }
    store.receive(.merge(.sleep(.seconds(1)), .sleep(.seconds(2)), .sleep(.seconds(2))))
    harness.advance(by: .seconds(2))
    // The first leaves two and what holds them. The last two end at once, before the instrument is told of either.
    #expect(counting.counts.withLock { $0 } == [3, 0, 0])
    counting.store.withLock { $0 = nil }
  }

  /// Keeps what the events tell of their effects, and no record.
  private final class Describing: StoreInstrument {
    let events: EventKinds = [.begun, .settled]
    let lines = Mutex<[String]>([])
    func record(_ event: InstrumentEvent) {
      guard let effect = event.effect else { return }
      let outer = effect.outerIdentifiers.map(\.description)
      let (identifier, attempt) = (effect.identifier?.description ?? "-", effect.attempt?.number ?? 0)
      let (label, parent) = (effect.label ?? "-", effect.parent == nil ? "no parent" : "a parent")
      lines.withLock {
        $0.append("\(identifier) \(outer) \(label) \(attempt) \(parent)\(effect.isCancelled ? " cancelled" : "")")
      }
    }
  }

  @Test("An event tells nothing of an earlier one, whose record the store uses again")
  func reusedRecord() {
    let describing = Describing()
    let store = harness.store(instrument: describing)
    for _ in 0..<3 {
      let pause = JournalStore.Effect.sleep(.seconds(1)).label("pause").id("inner").id("outer")
      store.receive(.merge(pause, .sleep(.seconds(9))).retry(.constant(.seconds(1))))
      store.receive(.cancel("inner"))
      store.receive(.sleep(.seconds(1)))
      harness.advance(by: .seconds(1))
      let lines = describing.lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
      #expect(
        lines == [
          #"inner ["outer"] pause 1 a parent"#, "- [] - 1 a parent", #"inner ["outer"] pause 1 a parent cancelled"#,
          "- [] - 0 no parent", "- [] - 0 no parent",
        ])
      harness.advance(by: .seconds(8))
      describing.lines.withLock { $0 = [] }
    }
  }
}
