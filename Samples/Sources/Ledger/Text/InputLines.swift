import Foundation

/// The lines of the standard input, one by one as they come.
struct InputLines {
  private var number = 0
  private var buffer = Data()
  /// The number of bytes at the beginning of the buffer that are known to have no line break.
  private var searched = 0

  /// True if the next line has been read already, and is returned at once.
  var hasNext: Bool { buffer.contains(UInt8(ascii: "\n")) }

  /// Returns the next line without its line break, or `nil` at the end.
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
      // A slice, because a file that is read at once has many lines.
      buffer = buffer[(end.map { $0 + 1 } ?? buffer.endIndex)...]
      return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }
  }
}
