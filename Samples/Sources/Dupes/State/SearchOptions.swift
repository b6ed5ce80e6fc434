import AsyncStore

/// The options of a search.
struct SearchOptions: Sendable {
  /// The size below which files are left out; by default only empty files are, which are all the same and free nothing.
  var minimumSize = 1
  /// True if the search stays on the devices of the folders that it begins with.
  var isOneFileSystem = false
  /// The number of folders or files that are read at once.
  var jobs = 1
  /// The number of bytes that are read to tell a file from others of the same size: one access to a disk gives that
  /// many anyway.
  var beginningLength = 4096
  /// The number of bytes that are read at once: the memory that a read needs, and the time that a cancel has to wait.
  var sliceLength = 1 << 20
  /// The schedule by which failed reads are tried again.
  var retry = RetrySchedule.exponential(first: .milliseconds(100)).limitedTo(attempts: 4)

  func beginning(ofSize size: Int) -> Int { min(size, beginningLength) }
}
