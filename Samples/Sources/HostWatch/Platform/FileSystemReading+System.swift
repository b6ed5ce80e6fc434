#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileSystemReading {
  /// Asks the system for the space of a mounted file system; `nil` if it has none, or may not be looked at.
  init?(mountPoint: String) {
    var space = statvfs()
    guard statvfs(mountPoint, &space) == 0, space.f_blocks > 0 else { return nil }
    let (total, overflow) = UInt64(space.f_blocks).multipliedReportingOverflow(by: UInt64(space.f_frsize))
    guard !overflow else { return nil }
    // The space that is free for users is a part of the blocks; a file system that claims more gives nonsense.
    let free = UInt64(min(space.f_bavail, space.f_blocks)) * UInt64(space.f_frsize)
    self.init(mountPoint: mountPoint, total: total, free: free)
  }
}
