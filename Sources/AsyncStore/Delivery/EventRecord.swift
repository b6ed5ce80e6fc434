/// The content of an event's ``EffectRecord``, and the data for delivering the event.
///
/// One object holds both, and the store reuses it unless the instrument has kept it. Otherwise, each event of a busy
/// service would be allocated by one thread and freed by another, and threads would wait for each other's allocator: a
/// third of the time of an order with metrics.
///
/// `@unchecked`: the event's thread creates it under the store's lock. From then on, only the delivering thread touches
/// the data for the delivery and ``next``. It changes the rest only if it holds the single reference, when nobody reads
/// it. For the same reason, no two accesses can overlap, and none is checked.
final class EventRecord: @unchecked Sendable {
  @exclusivity(unchecked) private(set) var place = EffectPlace<EffectProgram>()
  @exclusivity(unchecked) private(set) var effect = EffectDescription(.none)
  /// The next record in a chain of reusable records.
  @exclusivity(unchecked) var next: EventRecord?
  /// The event, until it has been reported to an instrument.
  @exclusivity(unchecked) private var kind: InstrumentEvent.Kind?
  @exclusivity(unchecked) private var moment = Moment.zero
  @exclusivity(unchecked) private var states: StatePair?

  init() {}

  /// Creates the record of an effect that has no fiber.
  init(_ effect: EffectDescription, number: UInt64, identifier: EffectID? = nil, label: String? = nil) {
    place = EffectPlace(number: number, tree: number, identifier: identifier, label: label)
    self.effect = effect
  }

  private init(_ effect: EffectDescription, at place: EffectPlace<EffectProgram>) {
    (self.effect, self.place) = (effect, place)
  }

  /// Makes this the record of an event; called on a new record, or after ``clear()``.
  @inline(__always)
  func use(for effect: EffectDescription, _ locate: (inout EffectPlace<EffectProgram>) -> Void) {
    self.effect = effect
    locate(&place)
  }

  /// Releases the data about the effect, which may call the store; the event itself was taken before.
  func clear() {
    place.clear()
    effect = EffectDescription(.none)
  }

  /// Returns the record of another effect at the same place.
  func with(_ effect: EffectDescription) -> EventRecord { EventRecord(effect, at: place) }

  /// Prepares the delivery of an event.
  func prepare(_ kind: consuming InstrumentEvent.Kind, at moment: Moment, _ states: consuming StatePair?) {
    self.kind = kind
    self.moment = moment
    if let states { self.states = states }
  }

  // Moved out, because an instrument may keep the record but must not keep the states or an error alive.

  /// Returns the event, once.
  func takeEvent(in store: consuming StoreIdentity) -> InstrumentEvent? {
    var taken: InstrumentEvent.Kind?
    swap(&kind, &taken)
    guard let taken else { return nil }
    return InstrumentEvent(taken, EffectRecord(self), in: store, at: moment)
  }

  /// Returns the states before and after the commit, once, if the instrument wants them.
  func takeStates() -> StatePair? { states == nil ? nil : states.take() }
}

/// A chain of records of reported events, for reuse.
struct SpareRecords: ~Copyable {
  private static let limit = 32
  private var first: EventRecord?
  private var count = 0

  var isEmpty: Bool { first == nil }

  /// Releases a reported event, or keeps its record if there is no other reference to it.
  mutating func release(_ event: Unmanaged<EventRecord>) {
    var record = event.takeRetainedValue()
    guard count < Self.limit, isKnownUniquelyReferenced(&record) else { return }
    count += 1
    event._withUnsafeGuaranteedRef { $0.clear() }
    record.next = first.take()
    first = record
  }

  /// Gives the records to a store, under its lock.
  mutating func give(to records: inout UniqueArray<EventRecord>) {
    while records.count < Self.limit, let record = first.take() {
      count -= 1
      first = record.next.take()
      records.append(record)
    }
  }
}
