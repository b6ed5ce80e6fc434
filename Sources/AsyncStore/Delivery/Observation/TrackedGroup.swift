import Synchronization

/// The tracked properties that are computed from one source, compared only at commits that change the source.
///
/// The source is compared once for all of them, so that a commit that does not change it takes the same time for any
/// number of properties. While the copy equals the source, each property's last value is the one computed from the
/// copy.
///
/// `@unchecked`: everything but `id`, `remember` and `hasDepartedMembers` is touched only while the store is locked.
final class TrackedGroup: @unchecked Sendable {
  let id: SourceID
  private let remember: @Sendable (UnsafeRawPointer) -> SourceComparison
  /// True if a property has left and could not be removed because the store was busy.
  let hasDepartedMembers = Atomic<Bool>(false)
  /// True if the group is in the store's list.
  var isListed = false
  private(set) var members = ObserverList()
  /// Compares the source with the copy; `nil` if members have read a source that differs from the copy.
  private var matchesSource: SourceComparison?

  init<State: Sendable>(_ source: TrackedSource<State>) {
    id = source.id
    remember = source.remember
  }

  /// Adds a property that has just been read.
  ///
  /// - Returns: the copy if it is no longer used for comparisons; to be released after the lock.
  func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) -> SourceComparison? {
    var outdated: SourceComparison?
    if members.isEmpty {
      outdated = matchesSource
      matchesSource = remember(state)
    } else if let matchesSource, !matchesSource(state) {
      // A silent change came in between. If the next change restored the source to the copy's value, the new member
      // would have seen a different value.
      outdated = self.matchesSource.take()
    }
    members.append(property)
    return outdated
  }

  /// - Returns: the copy if it was kept only for this member; to be released after the lock.
  func remove(_ property: TrackedProperty, _ deliveries: inout DeliveryQueue) -> SourceComparison? {
    members.remove(property, &deliveries)
    return members.isEmpty ? matchesSource.take() : nil
  }

  /// Handles a change of the state: compares the source, and the members only if the source has changed.
  func note(_ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue, in wrapper: DeliveryWrapper?) {
    if let matchesSource, matchesSource(state) {
      if hasDepartedMembers.load(ordering: .relaxed), hasDepartedMembers.exchange(false, ordering: .acquiring) {
        members.removeDeparted(&deliveries)
      }
    } else {
      DeliveryLoop.note(state, &members, &deliveries, in: wrapper)
      // Releasing the copy's contents may run user code.
      if let copy = matchesSource.take() { deliveries.append(.released(copy)) }
      if !members.isEmpty { matchesSource = remember(state) }
    }
  }
}
