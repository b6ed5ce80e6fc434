/// The content of an event's ``EffectRecord``, and what the delivery of the event needs.
///
/// One object for both, which the store uses again unless the instrument has kept it. Else each event of a busy service
/// would be allocated by one thread and freed by another, and threads would wait for each other's allocator: a third of
/// the time of an order with metrics.
///
/// `@unchecked`: the event's thread makes it under the store's lock. From then on the thread that delivers alone touches
/// ``delivery`` and ``next``, and it changes the rest only if it has the one reference: nobody reads it then.
final class EventRecord: @unchecked Sendable {
  private(set) var place: EffectPlace<EffectProgram>
  private(set) var effect: EffectDescription
  /// The next one of a chain of records that can be used again.
  var next: EventRecord?
  private var delivery: (kind: InstrumentEvent.Kind, moment: Moment, states: StatePair?)?

  init(_ effect: EffectDescription, at place: consuming EffectPlace<EffectProgram>) {
    self.place = consume place
    self.effect = effect
  }

  /// Creates the record of an effect that has no fiber.
  init(_ effect: EffectDescription, number: UInt64, identifier: EffectID? = nil, label: String? = nil) {
    place = EffectPlace(number: number, tree: number, isCancelled: false, identifier: identifier, label: label)
    self.effect = effect
  }

  /// Makes it the record of another event, after ``clear()``.
  func reuse(for effect: EffectDescription, at place: consuming EffectPlace<EffectProgram>) {
    self.place = consume place
    self.effect = effect
  }

  /// Releases what belongs to the event, which may call the store.
  func clear() {
    (place, effect) = (EffectPlace(number: 0, tree: 0, isCancelled: false), EffectDescription(.none))
    delivery = nil
  }

  /// Returns the record of another effect at the same place.
  func with(_ effect: EffectDescription) -> EventRecord { EventRecord(effect, at: place) }

  /// Prepares the delivery of an event.
  func prepare(_ kind: consuming InstrumentEvent.Kind, at moment: Moment, _ states: consuming StatePair?) {
    delivery = (kind, moment, states)
  }

  /// Tells an instrument of the event, once.
  func tell(_ instrument: any StoreInstrument, in store: StoreIdentity) {
    // Taken, because an instrument may keep the record, but neither the states nor an error.
    guard let (kind, moment, states) = delivery.take() else { return }
    let event = InstrumentEvent(kind, EffectRecord(self), in: store, at: moment)
    if let states { states.tell(instrument, of: event) } else { instrument.record(event) }
  }
}

/// A chain of records of events that were told, to be used again.
struct SpareRecords: ~Copyable {
  private static let limit = 32
  private var first: EventRecord?
  private var count = 0

  var isEmpty: Bool { first == nil }

  /// Releases an event that was told, or keeps its record, if nobody else has it.
  mutating func release(_ event: Unmanaged<EventRecord>) {
    var record = event.takeRetainedValue()
    guard count < Self.limit, isKnownUniquelyReferenced(&record) else { return }
    count += 1
    record.clear()
    record.next = first.take()
    first = record
  }

  /// Gives records to a store, under its lock.
  mutating func give(to records: inout UniqueArray<EventRecord>) {
    while records.count < Self.limit, let record = first.take() {
      count -= 1
      first = record.next.take()
      records.append(record)
    }
  }
}
