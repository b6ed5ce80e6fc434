import SystemPackage

/// The file system that is searched: the environment of the search's store.
///
/// Each closure does one thing, and holds nothing open when it returns or throws. They throw a ``FileError``, or
/// `CancellationError`. The tests use closures of their own.
struct FileSystem: Sendable {
  /// Returns the entry at a path; a symbolic link is a link, wherever it leads.
  var entry: @Sendable (FilePath) async throws -> Entry
  /// Lists a folder, in any order.
  var list: @Sendable (Folder) async throws -> Listing
  /// Reads up to `count` bytes from an offset on, at least one.
  ///
  /// It fails as ``FileError/Cause/changed`` if the file has changed since it was found.
  var read: @Sendable (_ file: File, _ offset: Int, _ count: Int) async throws -> [UInt8]
}
