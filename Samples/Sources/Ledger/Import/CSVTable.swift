/// The fields of a CSV file, by the rules of RFC 4180, each with its place.
struct CSVTable {
  struct Field {
    let text: String
    let place: LedgerError.Place
  }

  /// The first record: the names of the columns.
  let header: [Field]
  /// The others, without empty lines; each has as many fields as the header.
  let rows: [[Field]]

  /// Reads a CSV text.
  ///
  /// - Parameter file: what it is called in errors.
  init(_ text: String, file: String) throws(LedgerError) {
    var reader = CSVReader(file)
    let records = try reader.records(of: text).filter { $0.count > 1 || $0.first?.text != "" }
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

/// Reads a CSV text, character by character.
private struct CSVReader {
  private enum State {
    /// Before a field's first character.
    case between
    /// In a field without quotes.
    case plain
    /// In quotes.
    case quoted
    /// After a quote in quotes: their end, or the first half of a doubled one.
    case closing
  }

  private var state = State.between
  private var record: [CSVTable.Field] = []
  /// The field that is being read, and where it began.
  private var text = ""
  private var begin: LedgerError.Place
  private var place: LedgerError.Place

  init(_ file: String) {
    place = LedgerError.Place(file: file, line: 1, column: 1)
    begin = place
  }

  mutating func records(of text: String) throws(LedgerError) -> [[CSVTable.Field]] {
    var records: [[CSVTable.Field]] = []
    for character in text.last?.isLineBreak == false ? text + "\n" : text {
      try read(character)
      if character.isLineBreak {
        place.line += 1
        place.column = 1
        if state == .between {
          records.append(record)
          record = []
        }
      } else {
        place.column += 1
      }
    }
    if state == .quoted { throw LedgerError(.malformed, "This quote is never closed.", at: begin) }
    return records
  }

  private mutating func read(_ character: Character) throws(LedgerError) {
    try check(character)
    switch (state, character) {
    case (.quoted, "\""): state = .closing
    case (.quoted, _): text.append(character)
    case (.closing, "\""):
      text.append(character)
      state = .quoted
    case (_, _) where character == "," || character.isLineBreak:
      if state == .between { begin = place }
      record.append(CSVTable.Field(text: text, place: begin))
      text = ""
      state = .between
    case (.between, "\""):
      begin = place
      state = .quoted
    case (.between, _) where character.isWhitespace: break
    case (.between, _):
      begin = place
      text.append(character)
      state = .plain
    case (.plain, "\""):
      throw LedgerError(
        .malformed, "There is a quote in a field that is not in quotes: put it in quotes, and double those in it.",
        at: place)
    case (.plain, _): text.append(character)
    case (.closing, _) where character.isWhitespace: break
    case (.closing, _):
      throw LedgerError(.malformed, "There is a \"\(character)\" after the quotes of a field.", at: place)
    }
  }

  /// Refuses what is a line break to some programs and not to others, or no text at all.
  private func check(_ character: Character) throws(LedgerError) {
    guard !character.isLineBreak, character != "\t",
      let control = character.unicodeScalars.first(where: \.isControl)
    else { return }
    throw LedgerError(.malformed, "There is a control character here, \(control.title).", at: place)
  }
}
