/// The states before and after the commits that an instrument has still to be told of.
///
/// Subclassed for the type of the state. It is an observer that sees all commits, silent ones too, and has no news of
/// its own.
///
/// `@unchecked`: everything is touched only while the store is locked, or once it is gone.
class StatePairs: CommitObserver, @unchecked Sendable {
  override var endsWithActivity: Bool { false }

  /// Returns the oldest pair that was not taken.
  func take() -> StatePair? { preconditionFailure("abstract") }

  /// Releases what it keeps, when the store is gone.
  func releaseAll() { preconditionFailure("abstract") }
}

/// The states before and after one commit, to be lent to an instrument after the lock.
class StatePair: @unchecked Sendable {
  func tell(_ instrument: any StoreInstrument, of commit: InstrumentEvent) { preconditionFailure("abstract") }
}

/// `@unchecked`: see ``StatePairs``.
final class TypedStatePairs<State: Sendable>: StatePairs, @unchecked Sendable {
  private var last: State?
  private var pairs = Queue<StatePair>()

  init(_ state: State) { last = state }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    guard let old = last else { return false }
    let new = state.assumingMemoryBound(to: State.self).pointee
    pairs.append(TypedStatePair(old: old, new: new))
    last = new
    return false
  }

  override func noteSilently(_ state: UnsafeRawPointer) -> Bool { note(state) }

  override func take() -> StatePair? { pairs.popFirst() }

  override func releaseAll() {
    last = nil
    pairs = Queue()
  }
}

/// `@unchecked` because its superclass is not final; its own part is constants of `Sendable` types.
private final class TypedStatePair<State: Sendable>: StatePair, @unchecked Sendable {
  private let old: State
  private let new: State

  init(old: State, new: State) { (self.old, self.new) = (old, new) }

  override func tell(_ instrument: any StoreInstrument, of commit: InstrumentEvent) {
    instrument.record(commit, from: old, to: new)
  }
}
