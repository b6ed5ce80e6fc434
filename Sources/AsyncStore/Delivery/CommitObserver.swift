import Synchronization

/// An observer of commits: a binding, an asynchronous sequence of values, Observation's tracking.
///
/// Methods that run under the store's lock are separate from methods that run after it.
///
/// A class with methods to override and not a protocol, because ``ObserverList`` and ``DeliveryQueue`` hold unmanaged
/// references, one word each, which Swift has only for classes. Methods that each observer must override trap here.
///
/// `@unchecked` because the class is not final, and for three properties: `index` is touched only while the observed
/// store is locked; `isPrepared` and `nextInChain` are touched only by the thread that delivers for that store. Each
/// subclass says why its own part is safe.
class CommitObserver: @unchecked Sendable {
  /// The observer's index in the store's list, if it is in the list.
  var index: Int?
  /// True if a value has been taken and not yet delivered.
  @exclusivity(unchecked) final var isPrepared = false
  /// The next observer to notify of the same commit, if the two are in a chain.
  @exclusivity(unchecked) final var nextInChain: Unmanaged<CommitObserver>?
  /// True once the observer has left: from then on, nothing is delivered to it.
  ///
  /// If the lock is not available at that moment, the next commit removes the observer from the list.
  let hasDeparted = Atomic<Bool>(false)
  var identifier: EffectID? { nil }
  /// The runtime of the bound store, if the observer is a binding.
  var downstreamRuntime: Runtime? { nil }
  /// The property that the observer tracks for Observation.
  var trackedKeyPath: AnyKeyPath? { nil }
  /// The identity of the observer in the search for cycles of deliveries.
  var cycleMember: ObjectIdentifier { ObjectIdentifier(self) }
  /// True if the observer leaves the store's list with the first commit that it is notified of.
  final let leavesOnceNotified: Bool
  /// True if deactivating the store ends the observer for good, even if the store is activated again.
  var endsWithActivity: Bool { true }

  init(leavesOnceNotified: Bool = false) { self.leavesOnceNotified = leavesOnceNotified }

  /// Looks at the state after a commit, under the lock; the pointer is to a value of the observed store's own type.
  ///
  /// - Returns: true if there is something new to deliver.
  func note(_ state: UnsafeRawPointer) -> Bool { preconditionFailure("an observer class does not override note(_:)") }

  /// Looks at the state after a silent change, under the lock.
  ///
  /// - Returns: true if there is nevertheless something new to deliver.
  func noteSilently(_ state: UnsafeRawPointer) -> Bool { false }

  /// Takes the oldest value that has not been delivered.
  ///
  /// Called under the lock, when the previously taken value has been delivered.
  func prepare() { preconditionFailure("an observer class does not override prepare()") }
  /// Delivers the prepared value, after the lock.
  ///
  /// Only one thread at a time delivers for a store.
  func deliver() { preconditionFailure("an observer class does not override deliver()") }
  /// Releases the previously delivered value, after the lock.
  func releaseValue() {}
  /// Sees the last state of a store that is ending, under the lock, and whether the store was active until now.
  func willEnd(_ state: UnsafeRawPointer, endsActivity: Bool) {}
  /// Ends before `deactivate` returns; called by each thread that deactivates the store, after the lock.
  ///
  /// Several threads may call it concurrently, and values may still be delivered later.
  func endAtOnce() {}
  /// See ``CommitListener/storeCrashes()``.
  func storeCrashes() {}
  /// Ends the observer of a store that has ended: no more values follow.
  func end() {}
}
