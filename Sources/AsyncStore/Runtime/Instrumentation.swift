/// The name and the instrument of a store that has either.
@usableFromInline
final class Instrumentation: Sendable {
  let name: String?
  /// The instrument, or one that wants nothing.
  ///
  /// Not an optional, which would be copied for each event.
  let instrument: any StoreInstrument
  let events: EventKinds
  let interests: InstrumentInterests

  /// Returns `nil` for a store with neither a name nor an instrument, which then pays only for a check.
  @inlinable @inline(__always)
  static func make(_ name: String?, _ instrument: consuming (any StoreInstrument)?) -> Instrumentation? {
    // A pattern, so that without an instrument there is nothing to release.
    switch consume instrument {
    case let instrument?: Instrumentation(name, instrument)
    case nil: name == nil ? nil : Instrumentation(name, nil)
    }
  }

  @usableFromInline
  init(_ name: String?, _ instrument: (any StoreInstrument)?) {
    self.name = name
    let instrument = instrument ?? NoInstrument()
    self.instrument = instrument
    interests = instrument.interests
    let events = instrument.events
    self.events = interests.contains(.states) ? events.union(.committed) : events
  }

  /// True if the instrument asks what encloses operations.
  var seesOperations: Bool { !events.isEmpty || interests.contains(.operations) }

  /// Reports an event to the instrument once, for the store with this number.
  func report(_ record: EventRecord, in number: UInt64) {
    guard let event = record.takeEvent(in: StoreIdentity(name: name, number: number)) else { return }
    if let states = record.takeStates() { states.report(to: instrument, with: event) } else { instrument.record(event) }
  }
}

/// The instrument of a store that has only a name.
private struct NoInstrument: StoreInstrument {
  var events: EventKinds { [] }

  func record(_ event: InstrumentEvent) {}
}

extension Runtime {
  /// The identity of the store in its events.
  var identity: StoreIdentity { StoreIdentity(name: instrumentation?.name, number: number) }

  /// Keeps the states before and after commits, for an instrument that wants them.
  func keepStates<State: Sendable>(from state: State) {
    let pairs = TypedStatePairs(state)
    lock { core in
      core.statePairs = pairs
      core.append(pairs)
    }
  }
}
