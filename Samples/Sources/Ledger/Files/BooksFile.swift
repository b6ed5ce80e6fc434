import AsyncStorePersistence
import Foundation

/// A file of books, which grows line by line.
final class BooksFile {
  private let storage: FileStorage
  private let path: String
  /// The length of all whole lines; `nil` if there is no file yet.
  private var length: Int?
  /// The seal of these lines.
  private var seal: Seal

  init(_ storage: FileStorage, path: String, length: Int?, seal: Seal) {
    (self.storage, self.path, self.length, self.seal) = (storage, path, length, seal)
  }

  /// Replaces the file; the one that was there is kept beside it.
  func write(_ books: Books) throws {
    let (text, seal) = try BooksText.all(of: books)
    try storage.write(Data(text.utf8))
    (length, self.seal) = (text.utf8.count, seal)
  }

  /// Adds the line of an action, for good: it is safe from crashes when this returns.
  ///
  /// - Throws: `PersistenceError` with the code `notWritable`; the file is as it was, or has a part of a line at its end, which the
  ///   next line takes the place of.
  func append(_ change: JournalAction.Change, leadingTo position: Journal.Position) throws {
    var seal = seal
    let line = BooksText.line(change, leadingTo: position, after: &seal)
    if let length {
      try append(Data(line.utf8), at: UInt64(length))
    } else {
      try storage.write(Data((BooksText.head + line).utf8))
    }
    (length, self.seal) = ((length ?? BooksText.head.utf8.count) + line.utf8.count, seal)
  }

  private func append(_ line: Data, at end: UInt64) throws {
    do {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      defer { try? file.close() }
      try file.truncate(atOffset: end)
      do {
        try file.write(contentsOf: line)
        try file.synchronize()
      } catch {
        try? file.truncate(atOffset: end)
        throw error
      }
    } catch {
      throw PersistenceError(.notWritable, storage: path, "\(path) can't be written: \(error.localizedDescription)")
    }
  }
}
