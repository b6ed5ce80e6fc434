import Foundation

/// The few things a file storage asks of the operating system, so that tests can ask what a power failure leaves of them.
package protocol FileOperations: Sendable {
  /// The content of a file, or `nil` if there is none.
  func read(_ path: String) throws -> Data?
  /// Makes a file, or empties it, writes the data and syncs it to the disk.
  func create(_ path: String, _ data: Data) throws
  /// Gives a file a second name.
  ///
  /// - Returns: whether the file was there.
  /// - Throws: `FileError.notSupported` where files have one name only.
  @discardableResult
  func link(_ path: String, as other: String) throws -> Bool
  /// Renames a file, in one step, to a name that may be taken.
  func rename(_ path: String, to other: String) throws
  /// Removes a file that may be missing.
  func remove(_ path: String) throws
  /// Makes a directory that may be there.
  func makeDirectory(_ path: String) throws
  /// Syncs a directory's names to the disk.
  func syncDirectory(_ path: String) throws
}

/// What the operating system answered.
package enum FileError: Error, CustomStringConvertible {
  case notSupported
  case failed(call: String, path: String, reason: String)

  package var description: String {
    switch self {
    case .notSupported: "the file system has no second names"
    case .failed(let call, let path, let reason): "\(call) \(path): \(reason)"
    }
  }
}
