import Foundation

/// Reads UTF-8 text from files and from the standard input, and refuses anything else.
enum InputText {
  /// Reads a file, or the standard input if that is its name: `-` or `/dev/stdin`.
  static func read(_ path: String) throws(LedgerError) -> String {
    let data: Data
    do {
      if path == "-" || path == "/dev/stdin" {
        data = try FileHandle.standardInput.readToEnd() ?? Data()
      } else {
        // A pipe has no length, which `Data` would ask for.
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        data = try file.readToEnd() ?? Data()
      }
    } catch {
      throw LedgerError(.inaccessible, "\(path) can't be read: \(error.systemReason)")
    }
    return try text(data, file: path)
  }

  /// Returns the text of some bytes, without a byte order mark.
  ///
  /// - Parameters:
  ///   - file: the name of the bytes in errors.
  ///   - line: the number of their first line.
  /// - Throws: ``LedgerError`` with the place of the first byte that is not UTF-8.
  static func text(_ data: some Collection<UInt8>, file: String, line: Int = 1) throws(LedgerError) -> String {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = data.starts(with: byteOrderMark) ? data.dropFirst(3) : data[...]
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let repaired = String(decoding: bytes, as: UTF8.self)
    var good = zip(bytes, repaired.utf8).prefix { $0 == $1 }.map(\.0)
    // The first bytes of a character that is cut off may be those of its replacement.
    while String(validating: good, as: UTF8.self) == nil { good.removeLast() }
    let lines = String(decoding: good, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isLineBreak }
    throw LedgerError(
      .malformed, "This is not UTF-8.",
      at: LedgerError.Place(file: file, line: line + lines.count - 1, column: (lines.last?.count ?? 0) + 1))
  }
}

extension Character {
  /// True if it ends a line, as editors count lines.
  var isLineBreak: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}
