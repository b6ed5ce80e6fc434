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
}
