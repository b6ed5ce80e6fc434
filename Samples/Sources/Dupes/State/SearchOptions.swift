import AsyncStore

/// How to search.
struct SearchOptions: Sendable {
  /// Smaller files are left out; by default empty ones, which are all the same and free nothing.
  var minimumSize = 1
  /// Whether the search stays on the devices of the folders that it begins with.
  var isOneFileSystem = false
  /// How many folders or files are read at once.
  var jobs = 1
  /// How much of a file is read to tell it from those of the same size: what one access to a disk gives anyway.
  var beginningLength = 4096
  /// How much is read at once: what a read needs in memory, and what a cancel has to wait for.
  var sliceLength = 1 << 20
  /// When what fails to be read is tried again.
  var retry = RetrySchedule.exponential(first: .milliseconds(100)).limitedTo(attempts: 4)

  func beginning(ofSize size: Int) -> Int { min(size, beginningLength) }
}
