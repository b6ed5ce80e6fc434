import Foundation

/// A file that is open for changes at its end.
protocol GrowingFile {
  /// The length in bytes.
  func length() throws -> Int
  /// Writes at the end.
  func write(_ data: Data) throws
  /// Waits until the disk itself has everything.
  func synchronize() throws
  /// Cuts off the end.
  func truncate(to length: Int) throws
}

/// A file of the operating system.
final class SystemFile: GrowingFile {
  private let file: FileHandle

  /// Opens a file that is there.
  init(_ path: String) throws { file = try FileHandle(forUpdating: URL(filePath: path)) }

  deinit { try? file.close() }

  func length() throws -> Int { Int(try file.seekToEnd()) }

  func write(_ data: Data) throws {
    _ = try file.seekToEnd()
    try file.write(contentsOf: data)
  }

  func synchronize() throws {
    #if canImport(Darwin)
      // There `fsync` leaves the data in the disk's own memory.
      if fcntl(file.fileDescriptor, F_FULLFSYNC) != -1 { return }
    #endif
    try file.synchronize()
  }

  func truncate(to length: Int) throws { try file.truncate(atOffset: UInt64(length)) }
}
