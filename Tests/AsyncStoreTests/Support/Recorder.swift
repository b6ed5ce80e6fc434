import AsyncStore
import Synchronization

/// An instrument that keeps what it is told.
final class Recorder: StoreInstrument {
  private let recorded = Mutex<[InstrumentEvent]>([])

  func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event) } }

  var events: [InstrumentEvent] { recorded.withLock { $0 } }

  /// The events in words, without source locations.
  var lines: [String] { events.map(\.words) }

  func clear() { recorded.withLock { $0 = [] } }
}

extension InstrumentEvent {
  fileprivate var words: String {
    switch self {
    case .begun(let record): "begun \(record.words)"
    case .settled(let record, let outcome): "settled \(record.words): \(outcome.word)"
    case .committed(let record): "committed \(record.words)"
    case .cancelled(let record): "cancelled \(record.words)"
    case .failed(let record, let error): "failed \(record.words): \(error)"
    case .attempted(let record, let attempt): "attempted \(record.words): \(attempt)"
    case .backedOff(let record, let attempt, let error, let delay):
      "backed off \(record.words) \(attempt) \(error) \(delay)"
    case .dropped(let record): "dropped \(record.words)"
    case .ignored(let effect): "ignored \(effect.kind.rawValue)"
    case .unsettledBindings(let identifiers):
      "unsettled \(identifiers.map(\.description).joined(separator: ", "))"
    case .circularJoin(let identifiers):
      "circular join \(identifiers.map(\.description).joined(separator: ", "))"
    }
  }
}

extension EffectRecord {
  fileprivate var words: String { (id.map { "[\($0)] " } ?? "") + effect.kind.rawValue }
}

extension EffectOutcome {
  /// The outcome in a word, to compare it.
  var word: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case .dropped: "dropped"
    case .inactive: "inactive"
    }
  }
}
