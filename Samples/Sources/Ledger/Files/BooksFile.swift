import AsyncStorePersistence
import Foundation

/// A file of books, which grows line by line.
final class BooksFile {
  private let storage: FileStorage
  private let path: String
  /// The length of all whole lines; `nil` if there is no file yet.
  private var length: Int?
  /// The seal of these lines.
  private var seal = Seal.none

  init(_ storage: FileStorage, path: String) { (self.storage, self.path) = (storage, path) }

  /// Replaces the file; the one that was there is kept beside it.
  func write(_ books: Books) throws {
    let (text, seal) = try BooksText.all(of: books)
    try storage.write(Data(text.utf8))
    (length, self.seal) = (text.utf8.count, seal)
  }

  /// Goes on after some lines that were read.
  ///
  /// - Parameter tail: what follows them; it is cut off, and kept in a file of its own.
  func goOn(after lines: BooksLines, settingAside tail: Data) throws {
    (length, seal) = (lines.length, lines.seal)
    if tail.isEmpty { return }
    try FileStorage(URL(filePath: path + ".torn")).write(tail)
    try open(longerBy: tail.count) { file, end in try file.truncate(atOffset: end) }
  }

  /// Adds the lines of changes, for good: they are safe from crashes when this returns.
  ///
  /// - Throws: `PersistenceError` with the code `notWritable`, and the file is as it was, or has a part of these lines
  ///   at its end; with the code `changed` if it is not as long as this left it.
  func append(_ changes: [KeptChange]) throws {
    var seal = seal
    var lines = ""
    for change in changes { lines += BooksText.line(change.change, leadingTo: change.position, after: &seal) }
    guard let length else {
      let data = Data((BooksText.head + lines).utf8)
      try storage.write(data)
      (self.length, self.seal) = (data.count, seal)
      return
    }
    try open { file, end in
      do {
        try file.write(contentsOf: Data(lines.utf8))
        try file.synchronize()
      } catch {
        try? file.truncate(atOffset: end)
        throw error
      }
    }
    (self.length, self.seal) = (length + lines.utf8.count, seal)
  }

  /// Opens the file at its end.
  private func open(longerBy excess: Int = 0, _ body: (FileHandle, UInt64) throws -> Void) throws {
    let end = UInt64(length ?? 0)
    do {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      defer { try? file.close() }
      guard try file.seekToEnd() == end + UInt64(excess) else {
        throw PersistenceError(.changed, storage: path, "\(path) was changed by something else. It is left as it is.")
      }
      try body(file, end)
    } catch let error as PersistenceError {
      throw error
    } catch {
      throw PersistenceError(.notWritable, storage: path, "\(path) can't be written: \(error.localizedDescription)")
    }
  }
}
