import Foundation

/// The lines of the standard input, one by one as they come.
struct InputLines {
  private var number = 0
  private var buffer = Data()
  /// The number of bytes at the beginning of it that are known to have no line break.
  private var searched = 0

  /// Whether the next line has been read already, and is answered with at once.
  var hasNext: Bool { buffer.contains(UInt8(ascii: "\n")) }

  /// The next line without its line break; `nil` at the end.
  ///
  /// - Throws: ``LedgerError`` if it is not UTF-8.
  mutating func next() throws(LedgerError) -> String? {
    while true {
      let end = buffer[(buffer.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n"))
      let more = end == nil ? FileHandle.standardInput.availableData : Data()
      guard end != nil || more.isEmpty else {
        searched = buffer.count
        buffer += more
        continue
      }
      if end == nil, buffer.isEmpty { return nil }
      number += 1
      let line = try InputText.text(buffer[..<(end ?? buffer.endIndex)], file: "standard input", line: number)
      searched = 0
      // A slice: a file that is read at once has many lines.
      buffer = buffer[(end.map { $0 + 1 } ?? buffer.endIndex)...]
      return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }
  }
}
