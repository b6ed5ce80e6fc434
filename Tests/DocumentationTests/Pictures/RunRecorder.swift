import AsyncStore
import AsyncStoreTesting
import Synchronization

/// A recorder of what a store does, with the time of each event.
///
/// Effects are told apart by their labels.
final class RunRecorder: StoreInstrument {
  struct Entry {
    enum Kind { case called, begun, cancelled, committed, ended }

    let kind: Kind
    let label: String
    let time: Duration
    var outcome: EffectOutcome?
  }

  private let clock: TestClock
  private let recorded = Mutex<[Entry]>([])

  init(_ clock: TestClock) { self.clock = clock }

  var entries: [Entry] { recorded.withLock { $0 } }

  func record(_ event: InstrumentEvent) {
    let label = event.effect?.label
    switch event.kind {
    case .begun: add(.begun, label)
    case .cancelled: add(.cancelled, label)
    case .committed: add(.committed, label)
    case .settled(let outcome): add(.ended, label, outcome)
    default: break
    }
  }

  /// Receives an effect, and records the call and how its handle ends, both under a label.
  func call(_ label: String, _ store: CounterStore, _ effect: CounterStore.Effect) {
    add(.called, label)
    let handle = store.receive(effect)
    Task {
      let outcome = await handle.outcome
      self.add(.ended, "handle of \(label)", outcome)
    }
  }

  func add(_ kind: Entry.Kind, _ label: String?, _ outcome: EffectOutcome? = nil) {
    let entry = Entry(kind: kind, label: label ?? "", time: clock.now.offset, outcome: outcome)
    recorded.withLock { $0.append(entry) }
  }
}

extension [RunRecorder.Entry] {
  func first(_ kind: RunRecorder.Entry.Kind, _ label: String) -> RunRecorder.Entry? {
    first { $0.kind == kind && $0.label == label }
  }

  func times(_ kind: RunRecorder.Entry.Kind, _ label: String) -> [Duration] {
    filter { $0.kind == kind && $0.label == label }.map(\.time)
  }
}
