/// An observer of everything a store does, in order: the one hook for building logs, metrics and inspectors.
///
/// ```swift
/// struct Log: StoreInstrument {
///   func record(_ event: InstrumentEvent) { print(event) }
/// }
/// ```
///
/// A store without an instrument pays for a check for `nil`. `record` is called after the store's lock has been
/// released, one call at a time for each store, in the order of the events, on any thread. An instrument must not wait
/// for the store. ``CombinedInstrument`` combines several instruments.
public protocol StoreInstrument: Sendable {
  /// The events that the instrument wants to receive; by default all.
  ///
  /// Each other event costs the store a bit test. The property is read once, when the store is created.
  var events: EventKinds { get }

  /// The services that the instrument needs besides events, which cost the store more; by default none.
  ///
  /// The property is read once, when the store is created.
  var interests: InstrumentInterests { get }

  /// Records an event.
  ///
  /// The store may have continued since: an effect's end may arrive when ``AnyAsyncStore/inFlightCount`` is already 0,
  /// and when a task that waited for the effect already has its outcome.
  func record(_ event: InstrumentEvent)

  /// Records a commit with the state before and after it. Called instead of `record(_:)` for an instrument with the
  /// interest ``InstrumentInterests/states``.
  ///
  /// The states are only lent: an instrument that keeps one keeps everything alive that the state holds. The default
  /// implementation calls `record(_:)`.
  func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State)

  /// Runs an operation, in the operation's own task. Called for an instrument with the interest
  /// ``InstrumentInterests/operations``.
  ///
  /// Create a span here, or set task-local values for the operation. The method must call `body` once, and return when
  /// `body` has. The events `begun` and `settled` of the operation may come before, during or after the call, on other
  /// threads. Declare the method without an isolation, or as `nonisolated(nonsending)`. An instrument with the interest
  /// that does not implement it traps.
  ///
  /// - Parameters:
  ///   - operation: the operation, as its events describe it.
  ///   - store: the store that the effect belongs to.
  ///   - body: the operation.
  nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
  ) async
}

extension StoreInstrument {
  /// All events.
  public var events: EventKinds { .all }

  /// Nothing besides events.
  public var interests: InstrumentInterests { [] }

  /// Records a commit like any event.
  public func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) { record(commit) }

  /// Traps: an instrument with the interest ``InstrumentInterests/operations`` has its own method.
  public nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
  ) async {
    fatalError(
      "\(type(of: self)) has the interest `operations`, but no method "
        + "`wrapOperation(_: EffectRecord, of: StoreIdentity, _: OperationBody) async`."
    )
  }
}

/// The services that an instrument needs besides events.
public struct InstrumentInterests: OptionSet, Sendable {
  /// The interests as bits.
  public let rawValue: UInt8

  /// Creates interests from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The states before and after each commit.
  ///
  /// The store then keeps a second copy of its state, so that each commit copies what it changes in arrays and
  /// dictionaries.
  public static let states = InstrumentInterests(rawValue: 1 << 0)
  /// Running operations, each in its own task.
  public static let operations = InstrumentInterests(rawValue: 1 << 1)
}

/// Several instruments as one.
///
/// Each instrument receives every event that it wants, in the order given. The first one wraps operations outside the
/// others.
///
/// ```swift
/// let (log, audit) = (Recorder(), Recorder())
/// let store = CounterStore(state: Counter(), env: service, instrument: CombinedInstrument(log, audit))
/// store.receive(.set(\.count, to: 1))
/// // log.lines.count == 1
/// // audit.lines == log.lines
/// ```
public struct CombinedInstrument: StoreInstrument {
  /// An instrument, with its events and its interests, which are read once.
  private struct Member {
    let instrument: any StoreInstrument
    let events: EventKinds
    let wantsStates: Bool
  }

  private let members: [Member]
  /// The instruments that wrap operations.
  private let wrappers: [any StoreInstrument]
  /// The events that any of them wants.
  public let events: EventKinds
  /// The interests of all the instruments.
  public let interests: InstrumentInterests

  /// Combines instruments.
  public init(_ instruments: any StoreInstrument...) { self.init(instruments) }

  /// Combines instruments.
  public init(_ instruments: [any StoreInstrument]) {
    members = instruments.map { instrument in
      let wantsStates = instrument.interests.contains(.states)
      return Member(
        instrument: instrument, events: wantsStates ? instrument.events.union(.committed) : instrument.events,
        wantsStates: wantsStates)
    }
    wrappers = instruments.filter { $0.interests.contains(.operations) }
    events = instruments.reduce([]) { $0.union($1.events) }
    interests = instruments.reduce([]) { $0.union($1.interests) }
  }

  /// Passes an event to the instruments that want it.
  public func record(_ event: InstrumentEvent) {
    let kind = event.kind.asSet
    // By index, because an element taken out would be copied.
    for index in members.indices where members[index].events.contains(kind) { members[index].instrument.record(event) }
  }

  /// Passes a commit to the instruments that want it, and the states to those that are interested in them.
  public func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) {
    for member in members where member.events.contains(.committed) {
      if member.wantsStates {
        member.instrument.record(commit, from: old, to: new)
      } else {
        member.instrument.record(commit)
      }
    }
  }

  /// Runs an operation inside the instruments that wrap operations.
  public nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
  ) async {
    guard let outermost = wrappers.first else {
      await body()
      return
    }
    await outermost.wrapOperation(
      operation, of: store, body.wrapped(in: wrappers.dropFirst(), operation, of: store))
  }
}
