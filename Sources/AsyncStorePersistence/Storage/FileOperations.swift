import Foundation

/// The file operations of the operating system that a file storage uses.
///
/// Tests can make each operation fail, and simulate what a power failure leaves behind.
package protocol FileOperations: Sendable {
  /// Returns the path that a symbolic link leads to, or the path itself if it is not a link.
  func resolve(_ path: String) throws -> String
  /// Returns whether anything exists at the path, without reading it.
  func exists(_ path: String) throws -> Bool
  /// Returns the content of a regular file, or `nil` if the file does not exist.
  ///
  /// - Throws: `FileError.tooLarge` for a file that is longer than `limit` bytes, before it is read.
  func read(_ path: String, limit: Int) throws -> Data?
  /// Creates a new file, writes the data and syncs it to the disk.
  ///
  /// - Parameter model: the file whose permissions and owner the new file gets, if the model exists.
  func create(_ path: String, _ data: Data, like model: String) throws
  /// Gives a file a second name.
  ///
  /// - Throws: `FileError.notSupported` if files can have only one name.
  func link(_ path: String, as other: String) throws
  /// Renames a file in one step, replacing any file that has the new name.
  func rename(_ path: String, to other: String) throws
  /// Removes a file; does nothing if it is missing.
  func remove(_ path: String) throws
  /// Returns the names in a directory; none if there is no such directory.
  func names(in directory: String) throws -> [String]
  /// Creates a directory if it is missing, with its missing parents, and syncs the names of all created directories.
  func makeDirectory(_ path: String) throws
  /// Syncs a directory's names to the disk.
  func syncDirectory(_ path: String) throws
  /// A description of the process, for the text of a lock file.
  var owner: String { get }
  /// Creates a lock file and locks it, until the lock is released or the process ends, however it ends.
  ///
  /// - Parameter owner: the text of the file, which describes its owner.
  /// - Throws: `FileError.locked` with the file's text if somebody else has locked it.
  func lock(_ path: String, owner: String) throws -> StorageLock
}

/// An error of the operating system.
package enum FileError: Error, CustomStringConvertible {
  case notSupported
  case tooLarge(path: String, size: Int, limit: Int)
  case locked(owner: String)
  case failed(call: String, path: String, reason: String)

  /// The error of a file that can't be replaced because something is mounted on it, as a container mounts single files.
  static func mountPoint(call: String, path: String) -> FileError {
    .failed(
      call: call, path: path, reason: "It is a mount point, which can't be replaced. Mount its folder instead")
  }

  package var description: String {
    switch self {
    case .notSupported: "the file system has no second names"
    case .tooLarge(let path, let size, let limit): "\(path) has \(size) bytes, and the limit is \(limit)"
    case .locked(let owner): "it is locked by \(owner)"
    case .failed(let call, let path, let reason): "\(call) \(path): \(reason)"
    }
  }
}
