import Synchronization

/// The tracked properties that are computed from one source, compared only at the commits that change the source.
///
/// The source is compared once for all of them: a commit that leaves it alone takes the same time however many there
/// are. As long as the copy is the same as the source, the last value of each is that of the copy.
///
/// `@unchecked`: all but `id`, `remember` and `haveSomeLeft` is touched only while the store is locked.
final class TrackedGroup: @unchecked Sendable {
  let id: SourceID
  private let remember: @Sendable (UnsafeRawPointer) -> SourceCopy
  /// One has left that could not be removed, since the store was busy.
  let haveSomeLeft = Atomic<Bool>(false)
  /// Whether the store's list has it.
  var isListed = false
  private(set) var members = ObserverList()
  /// Compares the source with the copy; `nil` if members have read the source as the copy is not.
  private var isSame: SourceCopy?

  init<State: Sendable>(_ source: TrackedSource<State>) {
    id = source.id
    remember = source.remember
  }

  /// Adds a property that has just been read.
  func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) {
    if members.isEmpty {
      isSame = remember(state)
    } else if let isSame, !isSame(state) {
      // A silent change came in between. Should the next one bring the copy back, the new member has seen another
      // value.
      self.isSame = nil
    }
    members.append(property)
  }

  /// - Returns: the copy, if it was kept for this member only; to be released after the lock.
  func remove(_ property: TrackedProperty) -> SourceCopy? {
    members.remove(property)
    return members.isEmpty ? isSame.take() : nil
  }

  /// The state has changed: compares the source, and the members only if it has changed.
  func note(_ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue, in wrapper: DeliveryWrapper?) {
    if let isSame, isSame(state) {
      if haveSomeLeft.load(ordering: .relaxed), haveSomeLeft.exchange(false, ordering: .acquiring) {
        members.removeDetached(&deliveries)
      }
    } else {
      members.note(state, &deliveries, in: wrapper)
      // The end of what the copy holds is the user's code.
      if let copy = isSame.take() { deliveries.append(.released(copy)) }
      if !members.isEmpty { isSame = remember(state) }
    }
  }
}
