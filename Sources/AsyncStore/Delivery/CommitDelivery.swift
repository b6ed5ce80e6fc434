/// The observers to tell of one commit after its lock.
enum CommitDelivery {
  case none
  /// Deliveries are queued, perhaps others' too.
  case queued
  /// The commit's thread delivers the values of a chain that begins with this observer.
  case values(Unmanaged<CommitObserver>)
}
