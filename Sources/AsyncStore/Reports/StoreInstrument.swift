/// An observer of everything a store does, in order: the one hook on which logs, metrics and inspectors are built.
///
/// ```swift
/// struct Log: StoreInstrument {
///   func record(_ event: InstrumentEvent) { print(event) }
/// }
/// ```
///
/// A store without an instrument pays a check for `nil`. Calls of `record` come after the store's lock has been
/// released, one at a time for each store, in the order in which things happened; they may come on any thread. An
/// instrument must not wait for the store. ``CombinedInstrument`` makes one of several.
public protocol StoreInstrument: Sendable {
  /// The events that the instrument wants to be told of; by default all.
  ///
  /// Each other event costs the store a bit test. It is read once, when the store is made.
  var events: EventKinds { get }

  /// The services that the instrument needs besides events, which cost the store more; by default none.
  ///
  /// It is read once, when the store is made.
  var interests: InstrumentInterests { get }

  /// Records an event.
  ///
  /// The store may have gone on since: the end of an effect may come when ``AnyAsyncStore/inFlightCount`` is 0 already,
  /// and when a task that waited for the effect has its outcome.
  func record(_ event: InstrumentEvent)

  /// Records a commit, with the state before and after it; called in place of `record(_:)` for an instrument with the
  /// interest ``InstrumentInterests/states``.
  ///
  /// The states are only lent: an instrument that keeps one keeps everything alive that the state holds. By default it
  /// calls `record(_:)`.
  func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State)

  /// Runs an operation, in the operation's own task; called for an instrument with the interest
  /// ``InstrumentInterests/operations``.
  ///
  /// This is where a span lives, and where task-local values for the operation are set. It must call `body` once, and
  /// return when that has. By default that is all it does. The events `begun` and `settled` of the operation may come
  /// before, during or after the call, on other threads. Declare it without an isolation, or as
  /// `nonisolated(nonsending)`.
  ///
  /// - Parameters:
  ///   - operation: the operation, as its events describe it.
  ///   - store: the store whose effect it is.
  ///   - body: runs the operation. It returns `finished`, `failed` with what the operation has thrown, or `cancelled`
  ///     if the effect was cancelled before the operation returned.
  nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome
  ) async
}

extension StoreInstrument {
  /// All events.
  public var events: EventKinds { .all }

  /// Nothing besides events.
  public var interests: InstrumentInterests { [] }

  /// Records a commit like any event.
  public func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) { record(commit) }

  /// Runs the operation, and does nothing else.
  public nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome
  ) async {
    _ = await body()
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
  /// To run operations, each in its own task.
  public static let operations = InstrumentInterests(rawValue: 1 << 1)
}

/// Several instruments as one.
///
/// Each is told of every event that it wants, in the order in which they are given. The first one wraps operations
/// outside of the others.
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
  /// The interests of all of them.
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

  /// Passes a commit to the instruments that want it, with the states to those that are interested in them.
  public func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) {
    for member in members where member.events.contains(.committed) {
      if member.wantsStates {
        member.instrument.record(commit, from: old, to: new)
      } else {
        member.instrument.record(commit)
      }
    }
  }

  /// Runs an operation inside of those that wrap operations.
  public nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome
  ) async {
    await wrapOperation(operation, of: store, from: 0, body)
  }

  private nonisolated(nonsending) func wrapOperation(
    _ operation: EffectRecord, of store: StoreIdentity, from index: Int, _ body: () async -> EffectOutcome
  ) async {
    guard index < wrappers.count else {
      _ = await body()
      return
    }
    // The last one needs nothing around what it runs.
    if index == wrappers.count - 1 { return await wrappers[index].wrapOperation(operation, of: store, body) }
    await wrappers[index].wrapOperation(operation, of: store) {
      // The outcome goes through the wrappers from the inside out.
      var outcome = EffectOutcome.finished
      await wrapOperation(operation, of: store, from: index + 1) {
        outcome = await body()
        return outcome
      }
      return outcome
    }
  }
}
