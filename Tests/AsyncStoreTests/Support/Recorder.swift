import AsyncStore
import Synchronization

/// An instrument that keeps what it is told.
final class Recorder: StoreInstrument {
  private let recorded = Mutex<[InstrumentEvent]>([])

  func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event) } }

  var events: [InstrumentEvent] { recorded.withLock { $0 } }

  /// The events in words, without source locations, and without waits and ticks.
  var lines: [String] { events.filter { !$0.isDetail }.map(\.words) }

  func clear() { recorded.withLock { $0 = [] } }
}

extension InstrumentEvent {
  fileprivate var isDetail: Bool {
    switch kind {
    case .waiting, .waited, .timedOut, .ticked, .lifted: true
    default: false
    }
  }

  /// The event in words, without the source location.
  var words: String {
    let effect = effect?.words ?? ""
    return switch kind {
    case .begun: "begun \(effect)"
    case .settled(let outcome): "settled \(effect): \(outcome.word)"
    case .committed: "committed \(effect)"
    case .lifted(let origin): "lifted \(effect): from \(origin.store) \(origin.effect)"
    case .cancelled: "cancelled \(effect)"
    case .failed(let error): "failed \(effect): \(error)"
    case .recovered(let error): "recovered \(effect): \(error)"
    case .attempted(let attempt): "attempted \(effect): \(attempt)"
    case .backedOff(let attempt, let error, let delay): "backed off \(effect) \(attempt) \(error) \(delay)"
    case .attemptsEnded(let outcome): "attempts ended \(effect): \(outcome.word)"
    case .waiting(let wait): "waiting \(effect): \(wait)"
    case .waited(let wait, let outcome): "waited \(effect): \(wait) \(outcome.word)"
    case .timedOut: "timed out \(effect)"
    case .ticked(let tick, let late): "ticked \(effect): \(tick.index) \(late)"
    case .dropped: "dropped \(effect)"
    case .ignored: "ignored \(effect)"
    case .unsettledBindings(let identifiers):
      "unsettled \(identifiers.map(\.description).joined(separator: ", "))"
    case .joinCycle(let identifiers):
      "cycle of joins \(identifiers.map(\.description).joined(separator: ", "))"
    }
  }
}

extension EffectRecord {
  fileprivate var words: String { (identifier.map { "[\($0)] " } ?? "") + effect.kind.rawValue }
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
