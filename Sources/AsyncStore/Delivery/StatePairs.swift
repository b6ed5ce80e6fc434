/// The states before and after the commits that have not yet been reported to an instrument.
///
/// A subclass exists for the type of the state. The object is an observer that sees all commits, including silent ones,
/// and delivers nothing itself.
///
/// `@unchecked`: the pairs are touched only while the store is locked, or once it is gone.
class StatePairs: CommitObserver, @unchecked Sendable {
  fileprivate var pairs = Queue<StatePair>()

  override var endsWithActivity: Bool { false }

  /// Returns the oldest pair that was not taken.
  func take() -> StatePair? { pairs.popFirst() }

  /// Releases its contents when the store is gone.
  func releaseAll() { pairs = Queue() }
}

/// The states before and after one commit, to be lent to an instrument after the lock.
struct StatePair: Sendable {
  private let record: @Sendable (any StoreInstrument, InstrumentEvent) -> Void

  init<State: Sendable>(from old: State, to new: State) {
    record = { instrument, commit in instrument.record(commit, from: old, to: new) }
  }

  func report(to instrument: any StoreInstrument, with commit: InstrumentEvent) { record(instrument, commit) }
}

/// The pairs of a store with this type of state.
///
/// `@unchecked`: like the pairs, the last state is touched only while the store is locked, or once it is gone.
final class TypedStatePairs<State: Sendable>: StatePairs, @unchecked Sendable {
  private var last: State?

  init(_ state: State) { last = state }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    guard let old = last else { return false }
    let new = state.assumingMemoryBound(to: State.self).pointee
    pairs.append(StatePair(from: old, to: new))
    last = new
    return false
  }

  override func noteSilently(_ state: UnsafeRawPointer) -> Bool { note(state) }

  override func releaseAll() {
    super.releaseAll()
    last = nil
  }
}
