import Synchronization

/// An observer of commits: a binding, an asynchronous sequence of values, Observation's tracking.
///
/// Methods that run under the store's lock are separate from those that run after it.
///
/// A class with methods to override and not a protocol, because ``ObserverList`` and ``DeliveryQueue`` hold unmanaged
/// references, one word each, which Swift has for classes only. What each observer must override traps here.
///
/// `@unchecked` because the class is not final, and for `index`, which is touched only while the observed store is
/// locked, and `isPrepared` and `nextInChain`, which are touched only by the thread that delivers for that store. Each
/// subclass says why its own part is safe.
class CommitObserver: @unchecked Sendable {
  /// The observer's index in the store's list, if it is there.
  var index: Int?
  /// True if a value has been taken and not yet been delivered.
  @exclusivity(unchecked) final var isPrepared = false
  /// The next observer to be told of the same commit, if the two are in a chain.
  @exclusivity(unchecked) final var nextInChain: Unmanaged<CommitObserver>?
  /// True once the observer has left: nothing is delivered to it any more.
  ///
  /// If the lock is not available then, the next commit removes the observer from the list.
  let hasDeparted = Atomic<Bool>(false)
  var identifier: EffectID? { nil }
  /// The runtime of the store that is bound, if it is a binding.
  var downstreamRuntime: Runtime? { nil }
  /// The property that it tracks for Observation.
  var trackedKeyPath: AnyKeyPath? { nil }
  /// The identity of the observer in the search for cycles of deliveries.
  var cycleMember: ObjectIdentifier { ObjectIdentifier(self) }
  /// True if it leaves the store's list with the first commit that it is told of.
  final let leavesOnceTold: Bool
  /// True if it is told of no more commits once the store has been deactivated, not even when it is active again.
  var endsWithActivity: Bool { true }

  init(leavesOnceTold: Bool = false) { self.leavesOnceTold = leavesOnceTold }

  /// Looks at the state after a commit, under the lock; the pointer is to a value of the observed store's own type.
  ///
  /// - Returns: true if there is something new to deliver.
  func note(_ state: UnsafeRawPointer) -> Bool { preconditionFailure("an observer class does not override note(_:)") }

  /// Looks at the state after a silent change, under the lock.
  ///
  /// - Returns: true if there is something new to deliver all the same.
  func noteSilently(_ state: UnsafeRawPointer) -> Bool { false }

  /// Takes the oldest value that has not been delivered.
  ///
  /// Called under the lock, when the value taken before has been delivered.
  func prepare() { preconditionFailure("an observer class does not override prepare()") }
  /// Delivers what was prepared, after the lock.
  ///
  /// Only one thread at a time delivers for a store.
  func deliver() { preconditionFailure("an observer class does not override deliver()") }
  /// Releases what was delivered before, after the lock.
  func releaseValue() {}
  /// Sees the last state of a store that is ending, under the lock, and whether the store was active until now.
  func willEnd(_ state: UnsafeRawPointer, endsActivity: Bool) {}
  /// Ends before `deactivate` returns: called by each thread that deactivates the store, after the lock.
  ///
  /// Several threads may call it at a time, and values may be delivered later.
  func endAtOnce() {}
  /// Called before the store is deactivated as if its process had crashed: nothing may be saved any more.
  func storeCrashes() {}
  /// Ends the observer of a store that has ended: no more values come.
  func end() {}
}
