import Foundation

/// What the program reads and writes.
enum StandardStreams {
  /// Writes to the standard output, at once.
  static func write(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw LedgerError(.inaccessible, "The standard output can't be written: \(error)")
    }
  }

  /// Writes to the standard error; where that fails too there is nobody to tell.
  static func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// A line for a value, as JSON.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
