import Synchronization

/// The tracked properties that are computed from one source, compared only at commits that change the source.
///
/// The source is compared once for all of them, so that a commit that does not change it takes the same time for any
/// number of properties. While the copy equals the source, each property's last value is the one computed from the
/// copy.
///
/// `@unchecked`: everything but `id`, `remember` and `haveSomeLeft` is touched only while the store is locked.
final class TrackedGroup: @unchecked Sendable {
  let id: SourceID
  private let remember: @Sendable (UnsafeRawPointer) -> SourceCopy
  /// True if a property has left and could not be removed because the store was busy.
  let haveSomeLeft = Atomic<Bool>(false)
  /// True if the group is in the store's list.
  var isListed = false
  private(set) var members = ObserverList()
  /// Compares the source with the copy; `nil` if members have read a source that differs from the copy.
  private var isSame: SourceCopy?

  init<State: Sendable>(_ source: TrackedSource<State>) {
    id = source.id
    remember = source.remember
  }

  /// Adds a property that has just been read.
  ///
  /// - Returns: the copy if it is no longer used for comparisons; to be released after the lock.
  func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) -> SourceCopy? {
    var outdated: SourceCopy?
    if members.isEmpty {
      outdated = isSame
      isSame = remember(state)
    } else if let isSame, !isSame(state) {
      // A silent change came in between. If the next change restored the source to the copy's value, the new member
      // would have seen a different value.
      outdated = self.isSame.take()
    }
    members.append(property)
    return outdated
  }

  /// - Returns: the copy if it was kept only for this member; to be released after the lock.
  func remove(_ property: TrackedProperty, _ deliveries: inout DeliveryQueue) -> SourceCopy? {
    members.remove(property, &deliveries)
    return members.isEmpty ? isSame.take() : nil
  }

  /// Handles a change of the state: compares the source, and the members only if the source has changed.
  func note(_ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue, in wrapper: DeliveryWrapper?) {
    if let isSame, isSame(state) {
      if haveSomeLeft.load(ordering: .relaxed), haveSomeLeft.exchange(false, ordering: .acquiring) {
        members.removeDeparted(&deliveries)
      }
    } else {
      members.note(state, &deliveries, in: wrapper)
      // Releasing the copy's contents may run user code.
      if let copy = isSame.take() { deliveries.append(.released(copy)) }
      if !members.isEmpty { isSame = remember(state) }
    }
  }
}
