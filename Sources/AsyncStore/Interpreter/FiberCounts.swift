/// The numbers of fibers and trees of some kinds, which are asked for too often to be counted each time.
struct FiberCounts: Equatable {
  /// Folded fibers.
  var folded = 0
  /// Fibers that are only throttle windows, which nobody waits for.
  var windows = 0
  /// Joining fibers.
  var joins = 0
  /// Received trees whose attached part has not settled.
  var unsettledTrees = 0
  /// Cancelled trees that settle only when everything that they left behind has settled.
  var lateTrees = 0
  /// Cleanups that cancelled fibers stay for.
  var ownedCleanups = 0
  /// Cleanups whose tree was cancelled as a whole; included in `ownedCleanups`.
  var treeCleanups = 0

  /// The number of trees that have not settled, or of their cleanups if there are more of these.
  var unsettled: Int { max(unsettledTrees + lateTrees, ownedCleanups) }
}
