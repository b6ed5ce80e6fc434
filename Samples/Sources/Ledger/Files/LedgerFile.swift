import AsyncStorePersistence
import Foundation

/// The file that the books are kept in.
///
/// Only one process at a time changes it, which holds the storage's lock. Reading needs none: whole lines never change.
struct LedgerFile {
  let path: String

  /// Reads the books.
  func books() throws -> Books {
    guard let content = try content() else {
      throw LedgerError(.inaccessible, "There is no ledger \(path): post or import something, and there will be.")
    }
    if !content.tail.isEmpty {
      StandardStreams.complain(
        "ledger: The last \(content.tail.count) bytes of \(path) are not counted: another process is writing them, "
          + "or a crash cut them off, and then the next change sets them aside.\n")
    }
    return content.books
  }

  /// Opens the books for changes, while a function runs.
  ///
  /// - Throws: `PersistenceError` with the code `inUse` if another process has them open for changes.
  func change<Result>(_ body: (OpenBooks) throws -> Result) throws -> Result {
    let lock = try storage.lock()
    defer { lock.unlock() }
    let content = try content()
    if let tail = content?.tail, !tail.isEmpty {
      try FileStorage(URL(filePath: path + ".torn")).write(tail)
      StandardStreams.complain(
        "ledger: The last \(tail.count) bytes of \(path) were cut off by a crash, and nothing said to be safe is in "
          + "them. They are now in \(path).torn.\n")
    }
    let file = BooksFile(storage, path: path, length: try content.map(migrated))
    return try body(OpenBooks(content?.books ?? Books(), keep: file.append))
  }

  private struct Content {
    let books: Books
    /// The length of the head and all whole lines; `nil` of a file of the first version, which is a snapshot.
    let length: Int?
    /// What follows the last whole line.
    let tail: Data
  }

  private var storage: FileStorage { FileStorage(URL(filePath: path), limit: .max) }

  private func content() throws -> Content? {
    guard let data = try storage.read() else { return nil }
    guard data.starts(with: BooksText.format.utf8) else {
      guard let books = try storage.load(Books.self) else { return nil }
      try books.audit(books.log)
      return Content(books: books, length: nil, tail: Data())
    }
    guard data.starts(with: BooksText.head.utf8) else {
      throw PersistenceError(
        .newer, storage: path, "\(path) was written by a newer version of the program. It is left as it is.")
    }
    let length = (data.lastIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
    do throws(LedgerError) {
      // One run of bytes, whose slices are read without copies.
      let bytes = [UInt8](data.prefix(length))
      _ = try InputText.text(bytes, file: path)
      let books = try Books(bytes.dropFirst(BooksText.head.utf8.count), file: path)
      return Content(books: books, length: length, tail: data.dropFirst(length))
    } catch {
      throw PersistenceError(.damaged, storage: path, "\(path) is damaged: \(error) It is left as it is.")
    }
  }

  /// The length of a file of this version; one of the first version is replaced, and kept as the version before.
  private func migrated(_ content: Content) throws -> Int {
    if let length = content.length { return length }
    let data = Data(try content.books.text.utf8)
    try storage.write(data)
    return data.count
  }
}
