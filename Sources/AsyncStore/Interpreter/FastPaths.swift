/// The fast paths that the task of an operation tries at the operation's end.
///
/// A fast path that can't succeed is not tried: each attempt takes the store's lock, for which other threads wait. An
/// order whose steps have retries and limits in time took three of its seven locks in vain.
enum FastPaths: UInt8 {
  /// No fast path, because the operation begins in a folded fiber.
  ///
  /// A fast path names the fiber as the task knows it before it has the lock. Only an operation that began in a folded
  /// fiber can be transferred to another one while it runs; one that was unfolded in the same pass has its new name
  /// before its task starts.
  case none
  /// Only the fast path for an operation that returns another one, which follows it.
  case followingOnly
  case all
}
