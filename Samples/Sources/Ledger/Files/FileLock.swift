#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Sees to it that one process at a time changes a file.
///
/// It is advisory: it holds between processes that ask for it. The operating system takes it back from a process that ends,
/// however it ends.
enum FileLock {
  /// Locks a file while a function runs.
  ///
  /// The lock is on a file of its own beside it, with the suffix `.lock`, which stays: the file itself is another one after each
  /// save, and a lock on the old one would keep nobody out.
  ///
  /// - Throws: ``LedgerError`` with the code `locked` if another process has the lock; nobody is waited for.
  static func holding<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let lock = path + ".lock"
    let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw LedgerError(.inaccessible, "\(lock) can't be opened: \(reason)") }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw LedgerError(.inaccessible, "\(lock) can't be locked: \(reason)") }
      throw LedgerError(.locked, "\(path) is being changed by another process. Try again when that one is done.")
    }
    return try body()
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
