import AsyncStorePersistence
import Foundation

/// A file that grows line by line.
final class BooksFile {
  private let storage: FileStorage
  private let path: String
  /// The length of all whole lines; `nil` if there is no file yet.
  private var length: Int?

  init(_ storage: FileStorage, path: String, length: Int?) {
    self.storage = storage
    self.path = path
    self.length = length
  }

  /// Adds a line, for good: it is safe from crashes when this returns.
  ///
  /// - Throws: `PersistenceError` with the code `notWritable`; the file is as it was, or has a part of a line at its end, which the
  ///   next line takes the place of.
  func append(_ line: String) throws {
    guard let length else {
      let data = Data((BooksText.head + line).utf8)
      try storage.write(data)
      self.length = data.count
      return
    }
    do {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      defer { try? file.close() }
      try file.truncate(atOffset: UInt64(length))
      do {
        try file.write(contentsOf: Data(line.utf8))
        try file.synchronize()
      } catch {
        try? file.truncate(atOffset: UInt64(length))
        throw error
      }
    } catch {
      throw PersistenceError(.notWritable, storage: path, "\(path) can't be written: \(error.localizedDescription)")
    }
    self.length = length + line.utf8.count
  }
}
