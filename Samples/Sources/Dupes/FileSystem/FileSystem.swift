import SystemPackage

/// The file system that is searched: the environment of the search's store.
///
/// Each closure does one thing, and holds nothing open when it returns or throws. They throw a ``FileError``, or
/// `CancellationError`. The tests put closures of their own in.
struct FileSystem: Sendable {
  /// Tells what is at a path; a symbolic link is a link, wherever it leads.
  var entry: @Sendable (FilePath) async throws -> Entry
  /// Lists a folder, in any order.
  var list: @Sendable (Folder) async throws -> Listing
  /// Reads up to `count` bytes from an offset on, at least one.
  ///
  /// Fails as ``FileError/Cause/changed`` if the file is not any more what it was when it was found.
  var read: @Sendable (_ file: File, _ offset: Int, _ count: Int) async throws -> [UInt8]
}
