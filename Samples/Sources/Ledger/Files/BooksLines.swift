import Foundation

/// The lines of a file of books, as they were written.
struct BooksLines {
  /// One run of bytes, whose slices are read without copies.
  private let bytes: [UInt8]
  private let file: String
  /// The last line, or `nil` if there is none.
  private var last: Range<Int>?
  /// The seal of all lines.
  private(set) var seal = Seal.none
  /// True if the file has all of the last line but its line break.
  private(set) var lacksLineBreak = false

  /// Checks that each line is as it was written.
  ///
  /// - Parameters:
  ///   - bytes: whole lines, with the head.
  ///   - file: the file's name in errors.
  /// - Throws: ``LedgerError`` with the number of the first line that differs.
  init(_ bytes: [UInt8], file: String) throws(LedgerError) {
    (self.bytes, self.file) = (bytes, file)
    var (start, number) = (BooksText.head.utf8.count, 2)
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = bytes[start...end]
      seal.add(line.dropFirst(Seal.length))
      guard line.starts(with: seal.description.utf8) else {
        throw LedgerError(
          .diverged, "This is not what was written.", at: LedgerError.Place(file: file, line: number, column: 1))
      }
      (last, start, number) = (start..<(end + 1), end + 1, number + 1)
    }
  }

  /// Takes the bytes after the last line break, if they are a line of which only the line break is missing.
  ///
  /// - Returns: the remaining bytes: a part of a line.
  /// - Throws: ``LedgerError`` if the line break of a whole line has been changed into something else.
  mutating func takeUnfinishedLine(of tail: Data) throws(LedgerError) -> Data {
    if isSealed(tail) {
      let lines = try BooksLines(bytes + tail + [UInt8(ascii: "\n")], file: file)
      self = lines
      lacksLineBreak = true
      return Data()
    }
    guard isSealed(tail.dropLast()) else { return tail }
    throw LedgerError(.diverged, "The line break at the end of \(file) is not what was written.")
  }

  /// Returns whether some bytes are the next line, without its line break.
  private func isSealed(_ line: Data) -> Bool {
    var seal = seal
    seal.add(line.dropFirst(Seal.length))
    seal.add(CollectionOfOne(UInt8(ascii: "\n")))
    return line.starts(with: seal.description.utf8)
  }

  /// The size of the lines and the head, in bytes.
  var length: Int { bytes.count }

  /// The position in the journal that the last action led to, which is enough to post to the books.
  var end: Journal.Position {
    get throws(LedgerError) {
      guard let last else { return Journal.Position() }
      var reader = BooksReader(bytes[last])
      return try reader.beginning().position
    }
  }

  /// Returns the books, by repeating all actions.
  ///
  /// - Throws: ``LedgerError`` with the number of the first line that can't be read, or whose action has a different
  ///   result than when it was written.
  func books() throws(LedgerError) -> Books {
    var books = Books()
    var reader = BooksReader(bytes.dropFirst(BooksText.head.utf8.count))
    while !reader.isAtEnd {
      let line = books.log.count + 2
      do throws(LedgerError) {
        let (change, position) = try reader.action()
        try books.perform(change)
        guard books.journal.position == position else {
          throw LedgerError(.diverged, "The action does not lead to what it led to when it was made (\(change)).")
        }
      } catch {
        throw LedgerError(error.code, error.reason, at: LedgerError.Place(file: file, line: line, column: 1))
      }
    }
    return books
  }

  /// Returns whether the reference occurs in the file.
  ///
  /// A posting that was taken back may have it.
  func mentions(_ reference: String) -> Bool {
    let field = Array(("\t" + BooksText.escaped(reference) + "\t").utf8)
    return bytes.indices.contains { bytes[$0] == field[0] && bytes[$0...].starts(with: field) }
  }
}
