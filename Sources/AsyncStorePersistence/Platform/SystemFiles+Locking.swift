import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension SystemFiles {
  package var owner: String {
    var host = [CChar](repeating: 0, count: 256)
    let hasHost = gethostname(&host, host.count - 1) == 0
    let name = hasHost ? String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "?"
    return "process \(getpid()) on \(name) since \(Date.now.ISO8601Format())"
  }

  package func lock(_ path: String, owner: String) throws -> StorageLock {
    while true {
      let options = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
      var file = open(path, O_RDWR | O_CREAT | options, 0o644)
      // A killed process of another user has left its file, which can be locked but not written.
      if file < 0, errno == EACCES {
        file = open(path, O_RDONLY | options)
        // There is no such file: the directory refuses a new one.
        if file < 0, errno == ENOENT { errno = EACCES }
      }
      try check(file, "open", path)
      do {
        try lock(file, path)
        // An owner removes the file before it releases the file: another process may have created a new one since this
        // one was opened.
        guard try isFile(file, at: path) else {
          close(file)
          continue
        }
        // The text is only for messages: on a full disk it is missing, and the lock still holds.
        let text = owner + "\n"
        if ftruncate(file, 0) == 0 {
          _ = try? retrying("write", path) { text.withCString { pwrite(file, $0, text.utf8.count, 0) } }
        }
      } catch {
        close(file)
        throw error
      }
      return StorageLock(whileTrue: { [file] in (try? isFile(file, at: path)) == true }) { [file] in
        // The directory may have been moved away, and another process may have a file of this name.
        if (try? isFile(file, at: path)) == true { unlink(path) }
        close(file)
      }
    }
  }

  /// Locks this file descriptor, so that a second attempt fails in this process as it would in another.
  private func lock(_ file: Int32, _ path: String) throws {
    while flock(file, LOCK_EX | LOCK_NB) < 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { return try check(-1, "flock", path) }
      var text = [UInt8](repeating: 0, count: 1 << 10)
      let count = pread(file, &text, text.count, 0)
      let owner = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").first
      throw FileError.locked(owner: owner.map(String.init) ?? "another process")
    }
  }

  private func isFile(_ file: Int32, at path: String) throws -> Bool {
    var (own, there) = (stat(), stat())
    try check(fstat(file, &own), "stat", path)
    if lstat(path, &there) < 0 {
      if errno == ENOENT { return false }
      try check(-1, "stat", path)
    }
    return own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }
}
