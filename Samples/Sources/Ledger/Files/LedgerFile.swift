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
    return try books(of: content)
  }

  /// Opens the books for changes, while a function runs.
  ///
  /// - Throws: `PersistenceError` with the code `inUse` if another process has them open for changes.
  func change<Result>(_ body: (OpenBooks) throws -> Result) throws -> Result {
    try change { content in
      try content.map(books) ?? Books()
    } body: {
      try body($0)
    }
  }

  /// Posts something.
  ///
  /// The end of the books is enough for that, so that it takes no longer than to read the file and check its bytes.
  func post(_ posting: Posting) throws {
    try change { content in
      guard let content else { return Books() }
      guard let lines = content.lines, posting.reference.map(lines.mention) != true else {
        return try books(of: content)
      }
      return Books(from: try wholly { () throws(LedgerError) in try lines.end })
    } body: {
      try $0.perform(.post(postings: [posting]))
    }
  }

  private func change<Result>(
    _ books: (Content?) throws -> Books, body: (OpenBooks) throws -> Result
  ) throws -> Result {
    let lock = try storage.lock()
    defer { lock.unlock() }
    let content = try content()
    let present = try books(content)
    let file = BooksFile(storage, path: path, length: content?.length, seal: content?.lines?.seal ?? .none)
    if content?.first != nil { try file.write(present) }
    if let tail = content?.tail, !tail.isEmpty {
      try file.setAside(tail)
      StandardStreams.complain(
        "ledger: The last \(tail.count) bytes of \(path) were cut off by a crash, and nothing said to be safe is in "
          + "them. They are now in \(path).torn.\n")
    }
    return try body(OpenBooks(present, keep: file.append))
  }

  /// What is in the file.
  private struct Content {
    /// The books of a file of the first version, which is a snapshot; `nil` of a later one.
    var first: Books?
    /// The lines of a file of this version.
    var lines: BooksLines?
    /// How long these are.
    var length = 0
    /// What follows the last whole line.
    var tail = Data()
  }

  private var storage: FileStorage { FileStorage(URL(filePath: path), limit: .max) }

  private func content() throws -> Content? {
    guard let data = try storage.read() else { return nil }
    guard data.starts(with: BooksText.format.utf8) else { return try Content(first: storage.load()) }
    guard data.starts(with: BooksText.head.utf8) else {
      throw PersistenceError(
        .newer, storage: path, "\(path) was written by a newer version of the program. It is left as it is.")
    }
    let length = (data.lastIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
    let lines = try wholly { () throws(LedgerError) in
      let bytes = [UInt8](data.prefix(length))
      _ = try InputText.text(bytes, file: path)
      return try BooksLines(bytes, file: path)
    }
    return Content(lines: lines, length: length, tail: data.dropFirst(length))
  }

  /// The books in a file, audited.
  private func books(of content: Content) throws -> Books {
    if let lines = content.lines { return try wholly { () throws(LedgerError) in try lines.books() } }
    let books = content.first ?? Books()
    try books.audit(books.log)
    return books
  }

  /// Reads something of the file; what refuses it means that the file is damaged.
  private func wholly<Result>(_ body: () throws(LedgerError) -> Result) throws -> Result {
    do throws(LedgerError) {
      return try body()
    } catch {
      throw PersistenceError(.damaged, storage: path, "\(path) is damaged: \(error) It is left as it is.")
    }
  }
}
