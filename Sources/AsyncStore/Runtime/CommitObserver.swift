import Synchronization

/// Something that is told of commits: a binding, an asynchronous sequence of values, Observation's tracking.
///
/// What happens under the store's lock and what after it are separate calls.
///
/// `@unchecked` because the class is not final, and for `index`, which is touched only while the observed store is
/// locked, and `isPrepared`, which only the thread touches that delivers for that store. Of what subclasses add each
/// says itself why it is safe.
class CommitObserver: @unchecked Sendable {
  /// The place in the store's list.
  var index = -1
  /// A value has been taken and not yet been delivered.
  final var isPrepared = false
  /// Set as soon as it leaves: nothing is delivered to it any more.
  ///
  /// Where the lock can't be had, the next commit removes it from the list.
  let isDetached = Atomic<Bool>(false)
  var identifier: EffectID? { nil }
  /// The property that it tracks for Observation.
  var trackedKeyPath: AnyKeyPath? { nil }
  /// What it counts as where deliveries go in a circle.
  var circleMember: ObjectIdentifier { ObjectIdentifier(self) }
  /// Whether it leaves the store's list with the first commit that it is told of.
  var leavesOnceTold: Bool { false }
  /// Whether it is told of no more commits once the store has been deactivated, not even when it is active again.
  var endsWithActivity: Bool { true }

  /// Looks at the state after a commit, under the lock; the pointer is to a value of the observed store's own type.
  ///
  /// - Returns: whether there is something new to deliver.
  func note(_ state: UnsafeRawPointer) -> Bool { preconditionFailure("abstract") }

  /// Looks at the state after a change that is not told of, under the lock.
  ///
  /// - Returns: whether there is something new to deliver all the same.
  func noteSilently(_ state: UnsafeRawPointer) -> Bool { false }

  /// Takes the oldest value that has not been delivered.
  ///
  /// Under the lock. What was taken before has been delivered.
  func prepare() { preconditionFailure("abstract") }
  /// Delivers what was prepared, after the lock.
  ///
  /// Only one thread at a time delivers for a store.
  func deliver() { preconditionFailure("abstract") }
  /// Releases what was delivered before, after the lock.
  func releaseValue() {}
  /// The store is ending: its last state, under the lock, and whether it was active until now.
  func willEnd(_ state: UnsafeRawPointer, endsActivity: Bool) {}
  /// Ends before `deactivate` returns: called by each thread that deactivates the store, after the lock.
  ///
  /// Several threads may call it at a time, and values may be delivered later.
  func endAtOnce() {}
  /// The store has ended: no more values come.
  func end() {}
}
