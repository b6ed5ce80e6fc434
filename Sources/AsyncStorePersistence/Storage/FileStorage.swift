import Foundation

/// Keeps a state in a file, safe from crashes.
///
/// A write goes to a new file beside the old one, is synced to the disk, and takes the old one's place by renaming; then the
/// directory is synced. The version before stays beside it, with the suffix `.previous`. Where the file itself is missing, that
/// version is read in its place, so to begin anew remove both.
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
/// A file is for one storage at a time.
public struct FileStorage: Storage {
  private let path: String
  private let files: any FileOperations

  /// Keeps the state in a file; its directory is made if it is missing.
  public init(_ url: URL) { self.init(path: url.path(percentEncoded: false), files: SystemFiles()) }

  package init(path: String, files: any FileOperations) {
    self.path = path
    self.files = files
  }

  /// The path of the file.
  public var name: String { path }
  /// The path of the version before the last one.
  public var previousName: String { path + ".previous" }
  private var newName: String { path + ".new" }

  /// What was written last, or `nil` if nothing ever was.
  ///
  /// If the file is missing, that is the version before, at ``previousName``: a file system without second names for files has only the
  /// one left when the process or the power ends in the middle of a write. To begin anew remove both files.
  ///
  /// - Throws: ``PersistenceError`` with the code `notReadable`.
  public func read() throws -> Data? { try reading { try files.read(path) ?? files.read(previousName) } }

  /// What was written before the last write, or `nil` if there was at most one.
  ///
  /// - Throws: ``PersistenceError`` with the code `notReadable`.
  public func readPrevious() throws -> Data? { try reading { try files.read(previousName) } }

  /// Replaces the file's content, and keeps the version before.
  ///
  /// - Throws: ``PersistenceError`` with the code `notWritable`. The file is as it was then.
  public func write(_ data: Data) throws {
    do {
      let directory = parent
      try files.makeDirectory(directory)
      try files.create(newName, data)
      try keepPrevious()
      try files.rename(newName, to: path)
      try files.syncDirectory(directory)
    } catch {
      throw PersistenceError(.notWritable, storage: name, "\(name) can't be written: \(error)")
    }
  }

  /// Puts the version before the last one in the place of a file that is damaged.
  ///
  /// The damaged file is kept, with the suffix `.damaged` and a number.
  ///
  /// - Returns: whether there was such a version.
  /// - Throws: ``PersistenceError`` with the code `notWritable`.
  @discardableResult
  public func restorePrevious() throws -> Bool {
    guard try readPrevious() != nil else { return false }
    do {
      var number = 1
      while try files.read("\(path).damaged\(number)") != nil { number += 1 }
      if try files.read(path) != nil { try files.rename(path, to: "\(path).damaged\(number)") }
      do {
        try files.link(previousName, as: path)
      } catch FileError.notSupported {
        try files.rename(previousName, to: path)
      }
      try files.syncDirectory(parent)
      return true
    } catch {
      throw PersistenceError(.notWritable, storage: name, "\(previousName) can't take the place of \(name): \(error)")
    }
  }

  private var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Gives the present version its second name, by which it outlives the rename.
  ///
  /// At each step the present version is under one of the two names that are read.
  private func keepPrevious() throws {
    let link = previousName + ".new"
    try files.remove(link)
    do {
      guard try files.link(path, as: link) else { return }
    } catch FileError.notSupported {
      // Reading tells a file from a directory, which is not moved.
      if try files.read(path) != nil { try files.rename(path, to: previousName) }
      return
    }
    try files.rename(link, to: previousName)
    // Renaming one of two names of the same file to the other leaves both.
    try files.remove(link)
  }

  private func reading(_ body: () throws -> Data?) throws -> Data? {
    do {
      return try body()
    } catch {
      throw PersistenceError(.notReadable, storage: name, "\(name) can't be read: \(error)")
    }
  }
}
