import Foundation

/// The file operations of the operating system that a file storage uses.
///
/// Tests can make each of them fail, and simulate what a power failure leaves behind.
package protocol FileOperations: Sendable {
  /// Returns the path that a symbolic link leads to, or the path itself if it is not a link.
  func resolve(_ path: String) throws -> String
  /// Returns whether there is anything at the path, without reading it.
  func exists(_ path: String) throws -> Bool
  /// Returns the content of a regular file, or `nil` if there is nothing.
  ///
  /// - Throws: `FileError.tooLarge` for a file that is longer than `limit` bytes, before it is read.
  func read(_ path: String, limit: Int) throws -> Data?
  /// Creates a new file, writes the data and syncs it to the disk.
  ///
  /// - Parameter model: the file whose permissions and owner it gets, if that exists.
  func create(_ path: String, _ data: Data, like model: String) throws
  /// Gives a file a second name.
  ///
  /// - Throws: `FileError.notSupported` where files have one name only.
  func link(_ path: String, as other: String) throws
  /// Renames a file in one step, and replaces a file that has the new name.
  func rename(_ path: String, to other: String) throws
  /// Removes a file; does nothing if it is missing.
  func remove(_ path: String) throws
  /// Returns the names in a directory; none if there is no such directory.
  func names(in directory: String) throws -> [String]
  /// Makes a directory if it is missing, with those above it, and syncs the names of all that were made.
  func makeDirectory(_ path: String) throws
  /// Syncs a directory's names to the disk.
  func syncDirectory(_ path: String) throws
  /// A description of the process, for the text of a lock file.
  var owner: String { get }
  /// Makes a lock file and locks it, until the lock is released or the process ends, however it ends.
  ///
  /// - Parameter owner: the text of the file, about its owner.
  /// - Throws: `FileError.locked` with the file's text if somebody else has locked it.
  func lock(_ path: String, owner: String) throws -> StorageLock
}

/// An error of the operating system.
package enum FileError: Error, CustomStringConvertible {
  case notSupported
  case tooLarge(path: String, size: Int, limit: Int)
  case locked(owner: String)
  case failed(call: String, path: String, reason: String)

  package var description: String {
    switch self {
    case .notSupported: "the file system has no second names"
    case .tooLarge(let path, let size, let limit): "\(path) has \(size) bytes, and the limit is \(limit)"
    case .locked(let owner): "it is locked by \(owner)"
    case .failed(let call, let path, let reason): "\(call) \(path): \(reason)"
    }
  }
}
