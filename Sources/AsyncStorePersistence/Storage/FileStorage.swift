import Foundation

/// A storage that keeps a state in a file, safe from crashes.
///
/// A write goes to a new file beside the old one, is synced to the disk, and replaces the old file by renaming; then
/// the directory is synced. The file keeps its permissions and its access list, and a symbolic link to it stays a link.
/// The previous version stays beside the file, with the suffix `.previous`. If the file itself is missing and the
/// previous version exists, ``read()`` throws, and the caller decides: ``restorePrevious()`` continues from the
/// previous version; to start over, remove it.
///
/// ```swift
/// import Foundation
///
/// let file = FileStorage(folder.appending(path: "tally.state"))
/// try file.write(Data("one".utf8))
/// try file.write(Data("two".utf8))
/// let (now, before) = (try file.read(), try file.readPrevious())
/// // now == Data("two".utf8)
/// // before == Data("one".utf8)
/// ```
///
/// Names that end in `.previous`, `.owner`, `.damaged1` and the like are reserved for the files beside it: nothing else
/// is saved under such a name. A file with such a name may be read.
///
/// A file is for one writer at a time: a store that saves to it holds its ``lock()``. Writers without the lock
/// overwrite each other's versions, but never damage the file.
public struct FileStorage: Storage {
  private let path: String
  private let limit: Int
  private let files: any FileOperations

  /// Creates a storage in a file; its directory is created if it is missing.
  ///
  /// - Parameters:
  ///   - url: the URL of the file; any other URL traps. A URL with a NUL in its path, or with `/` at its end, is
  ///     refused when it is used.
  ///   - limit: the maximum size of the file in bytes; 256 MiB by default. A longer file is refused before it is read
  ///     or written.
  public init(_ url: URL, limit: Int = 256 << 20) {
    trap(unless: url.isFileURL, "\(url) is not the URL of a file. Create one with `URL(filePath:)`.")
    self.init(path: url.path(percentEncoded: false), limit: limit, files: SystemFiles())
  }

  package init(path: String, limit: Int = 256 << 20, files: any FileOperations) {
    self.path = path
    self.limit = limit
    self.files = files
  }

  /// The path of the file.
  public var name: String { path }

  /// Returns the data that was last written, or `nil` if there is none.
  ///
  /// - Throws: ``PersistenceError`` with the code `missing` if the file does not exist but its previous version does;
  ///   `tooLarge` if the file is longer than the limit; `notReadable` if it is not a file, or can't be read.
  public func read() throws -> Data? {
    try perform(.notReadable, "read") { () throws -> Data? in
      let paths = try paths
      if let data = try files.read(paths.file, limit: limit) { return data }
      try checkNotLost(paths)
      return nil
    }
  }

  /// True if the file exists; it may be damaged, because it is not read.
  ///
  /// Others may write or remove the file at any time.
  ///
  /// - Throws: ``PersistenceError`` with the code `missing` if the file does not exist but its previous version does;
  ///   `notReadable` if the file system can't tell.
  /// - Complexity: constant, independent of the length of the file.
  public var exists: Bool {
    get throws {
      try perform(.notReadable, "read") { () throws -> Bool in
        let paths = try paths
        if try files.exists(paths.file) { return true }
        try checkNotLost(paths)
        return false
      }
    }
  }

  /// Returns the data from before the last write, or `nil` if there is none.
  ///
  /// - Throws: ``PersistenceError`` with the code `notReadable` or `tooLarge`.
  public func readPrevious() throws -> Data? {
    try perform(.notReadable, "read") { try files.read(paths.previous, limit: limit) }
  }

  /// Replaces the file's content, and keeps the previous version.
  ///
  /// - Throws: ``PersistenceError`` with the code `tooLarge`, or `notWritable`. Then either the old or the new content
  ///   is there; after a disk error, it is unknown which.
  public func write(_ data: Data) throws {
    try perform(.notWritable, "written") {
      try files.replace(writablePaths, with: data, limit: limit, keepingAs: .previous)
    }
  }

  /// Replaces the content of a damaged file.
  ///
  /// The damaged file is kept, with the suffix `.damaged` and a number, and the previous version stays.
  ///
  /// - Throws: the same errors as ``write(_:)``.
  public func replaceDamaged(_ data: Data) throws {
    try perform(.notWritable, "written") {
      try files.replace(writablePaths, with: data, limit: limit, keepingAs: .damaged)
    }
  }

  /// Replaces the file with its previous version, whether the file is damaged, missing or intact.
  ///
  /// A replaced file with different content is kept, with the suffix `.damaged` and a number.
  ///
  /// - Returns: true if there was a previous version.
  /// - Throws: ``PersistenceError`` with the code `damaged` if the previous version is itself damaged; nothing has
  ///   changed then. With the code `inUse` if a store saves to the file, `notReadable`, `tooLarge` or `notWritable`.
  @discardableResult
  public func restorePrevious() throws -> Bool {
    let lock = try lock()
    defer { lock.unlock() }
    guard let previous = try readPrevious() else { return false }
    let paths = try perform(.notReadable, "read") { () throws -> FilePaths in try self.paths }
    _ = try Snapshot(previous, from: paths.previous)
    try replaceDamaged(previous)
    return true
  }

  /// Keeps other stores and processes from saving to the file.
  ///
  /// The lock is on a file beside this one, with the suffix `.owner`, which names the lock's owner. The operating
  /// system releases the lock of a process that ends, however it ends. Half-written files of such a process are
  /// removed.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse`, at once, if somebody else has the lock; `notWritable` if the
  ///   lock can't be created, or the name is reserved, or too long for the files beside it.
  public func lock() throws -> StorageLock {
    try perform(.notWritable, "locked") { () throws -> StorageLock in
      let paths = try writablePaths
      try files.makeDirectory(paths.directory)
      // Otherwise, only the first write would find that its file, whose name is longer, can't be created.
      _ = try files.exists(paths.temporary)
      let lock = try files.lock(paths.owner, owner: files.owner)
      for name in try files.names(in: paths.directory) where paths.isTemporary(name) {
        // A file that can't be removed is in nobody's way.
        try? files.remove(paths.directory + "/" + name)
      }
      // In case a process ended after its rename and before it had synced the directory.
      try files.syncDirectory(paths.directory)
      let isOwnFile: @Sendable () -> Bool = {
        // A symbolic link may lead to another file by now.
        (try? self.paths).map { $0.file.utf8.elementsEqual(paths.file.utf8) } ?? false
      }
      return StorageLock(whileTrue: { lock.isHeld && isOwnFile() }, release: lock.unlock)
    }
  }

  /// - Throws: ``PersistenceError`` with the code `missing` if only the previous version is there.
  private func checkNotLost(_ paths: FilePaths) throws {
    guard try files.exists(paths.previous) else { return }
    throw PersistenceError(
      .missing, storage: name,
      "\(name) is missing, but its previous version is at \(paths.previous). "
        + "Call restorePrevious(), or remove that file to start over."
    )
  }

  private var paths: FilePaths {
    get throws {
      // To the operating system, a path ends at a NUL, so it would be the path of another file.
      guard !path.utf8.contains(0) else {
        throw FileError.failed(call: "open", path: path, reason: "The path has a NUL in it. Choose another name")
      }
      let paths = FilePaths(file: try files.resolve(path))
      guard !FilePaths(file: path).isFolder, !paths.isFolder else {
        throw FileError.failed(call: "open", path: path, reason: "This is a folder. Append the name of a file")
      }
      return paths
    }
  }

  private var writablePaths: FilePaths {
    get throws {
      let paths = try paths
      guard !paths.isBesideAnother, !FilePaths(file: path).isBesideAnother else {
        throw PersistenceError(
          .notWritable, storage: name,
          "\(name) can't be written: its name is reserved for files that FileStorage keeps beside another "
            + "file. Choose another name."
        )
      }
      return paths
    }
  }

  private func perform<Result>(_ code: PersistenceError.Code, _ verb: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let error as PersistenceError {
      throw error
    } catch FileError.locked(let owner) {
      throw PersistenceError(
        .inUse, storage: name,
        "\(name) is in use by \(owner). Stop saving there first, or save to another file.")
    } catch {
      var code = code
      if case FileError.tooLarge = error { code = .tooLarge }
      throw PersistenceError(code, storage: name, "\(name) can't be \(verb): \(error)")
    }
  }
}
