import AsyncStorePersistence
import Foundation

/// The file of the books.
///
/// Only one process at a time, which holds the storage's lock, changes the file. Reading needs no lock: lines are added
/// at the end, and only lines that could not be made safe are removed again.
struct LedgerFile {
  let path: String

  /// Reads the books.
  func books() throws -> Books {
    guard let content = try content() else { throw missing }
    if case .lines(_, let tail) = content, !tail.isEmpty {
      StandardStreams.writeError(
        "ledger: The last \(tail.count) bytes of \(path) are not counted: another process is writing them, "
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

  /// Opens books that have to be there, as ``change(_:)`` does.
  ///
  /// - Throws: ``LedgerError`` with the code `inaccessible` if they are not; no file or folder is made then.
  func changeExisting<Result>(_ body: (OpenBooks) throws -> Result) throws -> Result {
    guard try exists else { throw missing }
    return try change(body)
  }

  /// True if there are books; others may make or remove them at any time.
  var exists: Bool { get throws { try storage.exists } }

  private var missing: LedgerError {
    LedgerError(.inaccessible, "There is no ledger \(path): post or import something, and there will be.")
  }

  /// Posts something.
  ///
  /// The end of the books is enough for that, so it takes no longer than reading the file and checking its bytes.
  func post(_ posting: Posting) throws {
    try change { content in
      guard case .lines(let lines, _) = content, posting.reference.map(lines.mentions) != true else {
        return try content.map(books) ?? Books()
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
    let file = BooksFile(storage, path: path)
    switch content {
    case nil: break
    case .snapshot: try file.replace(by: present)
    case .lines(let lines, let tail):
      try file.goOn(after: lines, settingAside: tail)
      if lines.lacksLineBreak {
        StandardStreams.writeError("ledger: The line break at the end of \(path) was missing, and has been added.\n")
      }
      if tail.isEmpty { break }
      StandardStreams.writeError(
        "ledger: The last \(tail.count) bytes of \(path) were cut off by a crash, in the middle of a change that was "
          + "not said to be safe. They are now in \(path).torn.\n")
    }
    return try body(OpenBooks(present, keep: file.append))
  }

  private enum Content {
    /// A file of the first version, which is replaced as a whole.
    case snapshot(Books)
    /// Whole lines, and the part of a line that follows them.
    case lines(BooksLines, tail: Data)
  }

  private var storage: FileStorage { FileStorage(URL(filePath: path), limit: .max) }

  private func content() throws -> Content? {
    guard let data = try storage.read() else { return nil }
    guard data.starts(with: BooksText.format.utf8) else { return try storage.load().map(Content.snapshot) }
    guard data.starts(with: BooksText.head.utf8) else { throw refusal(ofHead: data.prefix { $0 != 0x0A }) }
    let length = (data.lastIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
    return try wholly { () throws(LedgerError) in
      let bytes = [UInt8](data.prefix(length))
      _ = try InputText.text(bytes, file: path)
      var lines = try BooksLines(bytes, file: path)
      let tail = try lines.takeUnfinishedLine(of: Data(data.dropFirst(length)))
      return .lines(lines, tail: tail)
    }
  }

  /// Returns the error for a file whose first line is not that of this version.
  private func refusal(ofHead head: Data) -> PersistenceError {
    let line = String(decoding: head, as: UTF8.self)
    let number = line.dropFirst(BooksText.format.count)
    if let version = Int(number), version > BooksText.version, number == "\(version)" {
      return PersistenceError(
        .newer, storage: path,
        "\(path) says that it is of version \(version), and this program knows version \(BooksText.version): a newer "
          + "program wrote it. It is left as it is.")
    }
    let reason =
      line + "\n" == BooksText.head.replacing("\n", with: "\r\n")
      ? "Its line breaks have become CR LF: make them LF again."
      : "The first line is not \"\(BooksText.head.dropLast())\"."
    return damaged(LedgerError(.diverged, reason, at: LedgerError.Place(file: path, line: 1, column: 1)))
  }

  private func damaged(_ error: LedgerError) -> PersistenceError {
    PersistenceError(.damaged, storage: path, "\(path) is damaged: \(error) It is left as it is.")
  }

  /// Returns the books in a file, audited.
  private func books(of content: Content) throws -> Books {
    switch content {
    case .lines(let lines, _): return try wholly { () throws(LedgerError) in try lines.books() }
    case .snapshot(let books):
      try books.audit(books.log)
      return books
    }
  }

  /// Reads from the file; an error means that the file is damaged.
  private func wholly<Result>(_ body: () throws(LedgerError) -> Result) throws -> Result {
    do throws(LedgerError) {
      return try body()
    } catch {
      throw damaged(error)
    }
  }
}
