/// The observers to notify of one commit after its lock.
enum CommitDelivery {
  case none
  /// Deliveries are queued, possibly including those of other commits.
  case queued
  /// The commit's thread delivers the values of the chain that begins with this observer.
  case values(Unmanaged<CommitObserver>)
}
