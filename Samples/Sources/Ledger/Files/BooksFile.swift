import AsyncStorePersistence
import Foundation

/// A file of books, which grows line by line.
final class BooksFile {
  private let storage: FileStorage
  private let path: String
  private let openFile: (String) throws -> any GrowingFile
  /// The length of all whole lines.
  private var length = 0
  /// The seal of these lines.
  private var seal = Seal.none
  /// The text with which the next change begins the file, or `nil` if the file exists already.
  private var beginning: String? = BooksText.head

  /// Creates the object for a file that does not exist yet.
  ///
  /// - Parameter open: opens the file for changes.
  init(
    _ storage: FileStorage, path: String, open: @escaping (String) throws -> any GrowingFile = { try SystemFile($0) }
  ) {
    (self.storage, self.path, openFile) = (storage, path, open)
  }

  /// Replaces a file of another format with the next change, which is written together with the books.
  ///
  /// The other file is kept beside it.
  func replace(by books: Books) throws {
    let (text, seal) = try BooksText.all(of: books)
    (beginning, self.seal) = (text, seal)
  }

  /// Continues after the lines that were read.
  ///
  /// - Parameter tail: the bytes after them, which are cut off, and kept in a file of their own.
  func goOn(after lines: BooksLines, settingAside tail: Data) throws {
    (length, seal, beginning) = (lines.length, lines.seal, nil)
    if lines.lacksLineBreak {
      try open(expecting: length - 1) { file in
        try file.write(Data("\n".utf8))
        try file.synchronize()
      }
    }
    if tail.isEmpty { return }
    try FileStorage(URL(filePath: path + ".torn")).write(tail)
    try open(expecting: length + tail.count) { file in
      try file.truncate(to: length)
      try file.synchronize()
    }
  }

  /// Adds the lines of changes, for good: they are safe from crashes when this returns.
  ///
  /// - Throws: `PersistenceError` with the code `notWritable`. The file is then as it was, unless the description says
  ///   that the change may be in the ledger. With the code `changed` if the file has a different length than this
  ///   object left it with. `LedgerError` if a line could not be read back as the same change; nothing is written then.
  func append(_ changes: [KeptChange]) throws {
    var seal = seal
    var lines = ""
    for change in changes { lines += try BooksText.line(change.change, leadingTo: change.position, after: &seal) }
    if let beginning {
      let data = Data((beginning + lines).utf8)
      do {
        try storage.write(data)
      } catch {
        // A file that can't be read may have been replaced.
        let isLeft = (try? storage.read() == data) ?? true
        throw isLeft ? unknown("\(error).") : error
      }
      (length, self.seal, self.beginning) = (data.count, seal, nil)
      return
    }
    try open(expecting: length) { file in
      do {
        try file.write(Data(lines.utf8))
        try file.synchronize()
      } catch {
        try takeBack(file, after: error)
        throw error
      }
    }
    (length, self.seal) = (length + lines.utf8.count, seal)
  }

  /// Cuts off what was written, for good: it would otherwise be there again after a power cut.
  private func takeBack(_ file: any GrowingFile, after error: any Error) throws {
    do {
      // A disk that takes no more may be as it was.
      if try file.length() == length { return }
      try file.truncate(to: length)
    } catch let second {
      throw unknown("\(error.systemReason) What was written can't be taken back: \(second.systemReason)")
    }
    do {
      try file.synchronize()
    } catch let second {
      throw unknown("\(error.systemReason) It is not sure that what was written is gone: \(second.systemReason)")
    }
  }

  /// Opens the file, which has to have the expected length.
  private func open(expecting length: Int, _ body: (any GrowingFile) throws -> Void) throws {
    do {
      let file = try openFile(path)
      guard try file.length() == length else {
        throw PersistenceError(.changed, storage: path, "\(path) was changed by something else. It is left as it is.")
      }
      try body(file)
    } catch let error as PersistenceError {
      throw error
    } catch {
      throw notWritable(error.systemReason)
    }
  }

  private func unknown(_ reason: String) -> PersistenceError {
    notWritable("\(reason) The change may be in the ledger, or not; look before you make it again.")
  }

  private func notWritable(_ reason: String) -> PersistenceError {
    PersistenceError(.notWritable, storage: path, "\(path) can't be written: \(reason)")
  }
}
