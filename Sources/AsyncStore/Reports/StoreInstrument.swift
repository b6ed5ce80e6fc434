/// An observer of everything a store does, in order: the one hook on which logs, metrics and inspectors are built.
///
/// ```swift
/// struct Log: StoreInstrument {
///   func record(_ event: InstrumentEvent) { print(event) }
/// }
/// ```
///
/// A store without an instrument pays a check for `nil`. Calls come after the store's lock has been released, one at a
/// time for each store, in the order in which things happened; they may come on any thread. An instrument must not wait
/// for the store.
public protocol StoreInstrument: Sendable {
  /// Takes note of an event.
  func record(_ event: InstrumentEvent)
}

/// Something that happened in a store.
public enum InstrumentEvent: Sendable, CustomStringConvertible {
  /// An effect that takes time has begun: an operation (each attempt), a lift, a sleep, a timer, a stream, a binding, a
  /// `join`.
  case begun(EffectRecord)
  /// An effect that takes time has ended.
  case settled(EffectRecord, EffectOutcome)
  /// A change of the state has been applied.
  case committed(EffectRecord)
  /// An operation or a stream has been asked to end.
  case cancelled(EffectRecord)
  /// An error has reached its handler, `recover` or the store's `mapError`, or has found no handler.
  ///
  /// The record describes the effect that the error left: an operation, a stream, or the retry, race or sequence around
  /// it. A failed attempt is `backedOff`.
  case failed(EffectRecord, any Error)
  /// A retry has begun an attempt.
  case attempted(EffectRecord, EffectAttempt)
  /// An attempt of a retry, of this number, has failed with this error, and the next one begins after the delay, which
  /// may be zero.
  case backedOff(EffectRecord, attempt: Int, any Error, Duration)
  /// An effect never began: its identifier's policy refused it.
  case dropped(EffectRecord)
  /// An effect was received while the store was not active.
  case ignored(EffectDescription)
  /// Bindings in a circle keep setting each other off; these are the identifiers of the bindings on the circle.
  case unsettledBindings([EffectID])
  /// Effects under these identifiers, each of which waits for the next one, would have waited for ever: a `join` that
  /// closed the circle does not wait.
  case circularJoin([EffectID])

  /// The event in one line.
  public var description: String {
    switch self {
    case .begun(let record): "begun \(record)"
    case .settled(let record, let outcome): "settled \(record): \(outcome)"
    case .committed(let record): "committed \(record)"
    case .cancelled(let record): "cancelled \(record)"
    case .failed(let record, let error): "failed \(record): \(error)"
    case .attempted(let record, let attempt): "attempted \(record): \(attempt)"
    case .backedOff(let record, let attempt, let error, let delay):
      "backed off \(record): attempt \(attempt) failed with \(error), the next one follows after \(delay)"
    case .dropped(let record): "dropped \(record)"
    case .ignored(let effect): "ignored \(effect)"
    case .unsettledBindings(let identifiers):
      "unsettled bindings \(identifiers.map(\.description).joined(separator: ", "))"
    case .circularJoin(let identifiers):
      "circular join \(identifiers.map(\.description).joined(separator: ", "))"
    }
  }
}

/// The effect that an event is about.
public struct EffectRecord: Hashable, Sendable, CustomStringConvertible {
  /// The nearest enclosing identifier.
  public let id: EffectID?
  /// The identifiers around that one, from the inside out: eight at most.
  public internal(set) var outerIDs: [EffectID] = []
  /// The nearest enclosing label.
  public let label: String?
  /// The kind of the effect, and the place in the source code where it was written.
  public let effect: EffectDescription

  /// Identifier, label and effect in one line.
  public var description: String {
    var words: [String] = []
    if let id { words.append("[\(id)]") }
    if let label { words.append("\"\(label)\"") }
    return (words + [effect.description]).joined(separator: " ")
  }
}
