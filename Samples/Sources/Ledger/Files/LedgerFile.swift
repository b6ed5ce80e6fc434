import AsyncStorePersistence
import Foundation

/// The file that the books are kept in.
struct LedgerFile {
  let path: String

  private var storage: FileStorage { FileStorage(URL(filePath: path)) }

  /// Reads the books.
  ///
  /// A file is replaced as a whole whenever it changes, so this needs no lock.
  func books() throws -> Books {
    guard let books = try storage.load(Books.self) else {
      throw LedgerError(.inaccessible, "There is no ledger \(path): post or import something, and there will be.")
    }
    return books
  }

  /// Opens the books for changes, while a function runs.
  ///
  /// - Throws: ``LedgerError`` with the code `locked` if another process has them open for changes.
  func change<Result>(_ body: (OpenBooks) throws -> Result) throws -> Result {
    try FileLock.holding(path) {
      let open = try OpenBooks(in: storage)
      defer { open.close() }
      return try body(open)
    }
  }
}
