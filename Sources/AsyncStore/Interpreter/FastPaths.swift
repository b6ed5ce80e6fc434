/// The fast paths that an operation's task tries when the operation ends.
///
/// A fast path that can't succeed is not tried: each attempt takes the store's lock, which other threads wait for. In
/// an order whose steps have retries and time limits, three of seven locks were taken in vain.
enum FastPaths: UInt8 {
  /// No fast path, because the operation began in a folded fiber.
  ///
  /// A fast path uses the fiber name that the task knew before taking the lock. Only an operation that began in a
  /// folded fiber can be transferred to another fiber while it runs. An operation that was unfolded in the same pass
  /// has its new name before its task starts.
  case none
  /// The fast path for an operation that returns another operation, which then follows it, and no other.
  case followingOnly
  case all
}
