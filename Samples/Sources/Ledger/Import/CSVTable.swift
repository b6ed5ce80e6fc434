/// The fields of a CSV file, by the rules of RFC 4180, each with its place.
struct CSVTable {
  struct Field {
    let text: String
    fileprivate let begin: String.Index
    fileprivate let source: CSVSource

    var place: LedgerError.Place { source.place(of: begin) }
  }

  /// The first record: the names of the columns.
  let header: [Field]
  /// The other records, without empty lines; each has as many fields as the header.
  let rows: [[Field]]

  /// Reads a CSV text.
  ///
  /// - Parameter file: the name of the text in errors.
  init(_ text: String, file: String) throws(LedgerError) {
    var reader = CSVReader(CSVSource(text: text, file: file))
    let records = try reader.readAll().filter { $0.count > 1 || $0.first?.text != "" }
    guard let header = records.first else {
      throw LedgerError(.malformed, "It is empty.", at: LedgerError.Place(file: file, line: 1, column: 1))
    }
    for record in records where record.count != header.count {
      throw LedgerError(
        .malformed, "There are \(record.count) fields, and the header has \(header.count).",
        at: record[min(header.count, record.count - 1)].place)
    }
    self.header = header
    rows = Array(records.dropFirst())
  }
}

/// A CSV text, and the file it is from.
private struct CSVSource {
  let text: String
  let file: String

  /// Returns the line and the column of an index.
  ///
  /// - Complexity: linear in the text before it.
  func place(of index: String.Index) -> LedgerError.Place {
    let lines = text[..<index].split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak)
    return LedgerError.Place(file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1)
  }
}

/// A reader of CSV text, scalar by scalar, because a combining mark would form one character with the comma, the quote
/// or the space before it.
private struct CSVReader {
  private enum State {
    /// Before a field's first scalar.
    case between
    /// In a field without quotes.
    case plain
    /// In quotes.
    case quoted
    /// After a quote in quotes: their end, or the first half of a doubled one.
    case closing
  }

  private let source: CSVSource
  private var state = State.between
  private var records: [[CSVTable.Field]] = []
  private var record: [CSVTable.Field] = []
  /// The field that is being read, and the index at which it began.
  private var text = ""
  private var begin: String.Index

  init(_ source: CSVSource) {
    self.source = source
    begin = source.text.startIndex
  }

  /// Returns the records; an empty line is a record of one empty field, and so is the part between the two scalars of a
  /// `\r\n`.
  mutating func readAll() throws(LedgerError) -> [[CSVTable.Field]] {
    let scalars = source.text.unicodeScalars
    var index = scalars.startIndex
    while index < scalars.endIndex {
      try read(scalars[index], at: index)
      scalars.formIndex(after: &index)
    }
    if source.text.last?.isLineBreak == false { try read("\n", at: index) }
    if state == .quoted { throw error("This quote is never closed.", at: begin) }
    return records
  }

  private mutating func read(_ scalar: Unicode.Scalar, at index: String.Index) throws(LedgerError) {
    let isLineBreak = scalar == "\n" || scalar == "\r"
    // Some control characters are line breaks to some programs only, and the others are no text.
    if scalar.isControl, !isLineBreak, scalar != "\t" {
      throw error("There is a control character here, \(scalar.title).", at: index)
    }
    switch (state, scalar) {
    case (.quoted, "\""): state = .closing
    case (.quoted, _): text.unicodeScalars.append(scalar)
    case (.closing, "\""):
      text.unicodeScalars.append(scalar)
      state = .quoted
    case (_, _) where scalar == "," || isLineBreak:
      if state == .between { begin = index }
      record.append(CSVTable.Field(text: text, begin: begin, source: source))
      (text, state) = ("", .between)
      if isLineBreak {
        records.append(record)
        record = []
      }
    case (.between, "\""):
      begin = index
      state = .quoted
    case (.between, _) where scalar.properties.isWhitespace: break
    case (.between, _):
      begin = index
      text.unicodeScalars.append(scalar)
      state = .plain
    case (.plain, "\""):
      throw error(
        "There is a quote in a field that is not in quotes: put it in quotes, and double those in it.", at: index)
    case (.plain, _): text.unicodeScalars.append(scalar)
    case (.closing, _) where scalar.properties.isWhitespace: break
    case (.closing, _): throw error("There is a \"\(scalar)\" after the quotes of a field.", at: index)
    }
  }

  private func error(_ reason: String, at index: String.Index) -> LedgerError {
    LedgerError(.malformed, reason, at: source.place(of: index))
  }
}
