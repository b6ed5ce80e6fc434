/// The name of a store and its instrument, for a store that has one or both.
@usableFromInline
final class Instrumentation: Sendable {
  let name: String?
  /// The instrument, or one that wants nothing.
  ///
  /// Not an optional, which would be copied each time that it is told of an event.
  let instrument: any StoreInstrument
  let events: EventKinds
  let interests: InstrumentInterests

  /// Returns `nil` for a store with neither a name nor an instrument, which then pays for a check only.
  @inlinable @inline(__always)
  static func make(_ name: String?, _ instrument: consuming (any StoreInstrument)?) -> Instrumentation? {
    // By pattern, so that without an instrument there is nothing to release.
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

  /// True if the instrument asks what operations are part of.
  var seesOperations: Bool { !events.isEmpty || interests.contains(.operations) }

  /// Tells the instrument of an event in the store with this number, once.
  func tell(_ record: EventRecord, in number: UInt64) {
    guard let event = record.takeEvent(in: StoreIdentity(name: name, number: number)) else { return }
    if let states = record.takeStates() { states.tell(instrument, of: event) } else { instrument.record(event) }
  }
}

/// The instrument of a store that has a name only.
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
