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

/// The operating system's files.
package struct SystemFiles: FileOperations {
  package init() {}

  package func read(_ path: String) throws -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    try check(file, "open", path)
    defer { close(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try retrying("read", path) { systemRead(file, &buffer, buffer.count) }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  package func create(_ path: String, _ data: Data) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    try check(file, "open", path)
    do {
      var rest = data[...]
      while !rest.isEmpty {
        let count = try rest.withUnsafeBytes { bytes in
          try retrying("write", path) { systemWrite(file, bytes.baseAddress, bytes.count) }
        }
        rest = rest.dropFirst(count)
      }
      try sync(file, path)
    } catch {
      close(file)
      throw error
    }
    try check(close(file), "close", path)
  }

  package func link(_ path: String, as other: String) throws -> Bool {
    let result = systemLink(path, other)
    if result < 0, errno == ENOENT { return false }
    if result < 0, [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) { throw FileError.notSupported }
    try check(result, "link", path)
    return true
  }

  package func rename(_ path: String, to other: String) throws { try check(systemRename(path, other), "rename", path) }

  package func remove(_ path: String) throws {
    let result = unlink(path)
    if result < 0, errno == ENOENT { return }
    try check(result, "unlink", path)
  }

  package func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  package func syncDirectory(_ path: String) throws {
    let directory = open(path, O_RDONLY | O_CLOEXEC)
    try check(directory, "open", path)
    defer { close(directory) }
    try sync(directory, path)
  }

  /// Waits until the disk itself has the data.
  private func sync(_ file: Int32, _ path: String) throws {
    #if canImport(Darwin)
      if fcntl(file, F_FULLFSYNC) != -1 { return }
    #endif
    _ = try retrying("fsync", path) { Int(fsync(file)) }
  }

  private func retrying(_ call: String, _ path: String, _ body: () -> Int) throws -> Int {
    while true {
      let result = body()
      if result < 0, errno == EINTR { continue }
      try check(Int32(clamping: result), call, path)
      return result
    }
  }

  private func check(_ result: Int32, _ call: String, _ path: String) throws {
    if result >= 0 { return }
    throw FileError.failed(call: call, path: path, reason: String(cString: strerror(errno)))
  }
}

// The C functions, whose names this type's own methods hide.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
private func systemRename(_ path: String, _ other: String) -> Int32 { rename(path, other) }
