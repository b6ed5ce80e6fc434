import AsyncStore
import Synchronization
import Testing

@Suite("Labels")
struct LabelTests {
  private struct Empty: Sendable { var count = 0 }

  private final class Recorder: StoreInstrument {
    private let recorded = Mutex<[InstrumentEvent]>([])

    var labels: [String?] {
      recorded.withLock { events in
        events.compactMap { if case .begun = $0.kind { $0.effect?.label } else { nil } }
      }
    }

    func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event) } }
  }

  @Test("A label belongs to the effect it was put on, wherever that effect stands in a sequence")
  func labelInSequence() {
    let recorder = Recorder()
    let store = AsyncStore(state: Empty(), env: (), instrument: recorder)
    store.receive(.concatenate(.set(\.count, to: 1), .sleep(.seconds(60)).label("pause")))
    #expect(store.inFlight.compactMap(\.label) == ["pause"])
    #expect(recorder.labels == ["pause"])
  }

  @Test("A printed effect shows its label in quotes, once")
  func labelInPrint() {
    let store = AsyncStore(state: Empty(), env: ())
    store.receive(.sleep(.seconds(60)).label("pause"))
    #expect(store.inFlight.description.hasPrefix("\"pause\" sleep"))
  }
}
