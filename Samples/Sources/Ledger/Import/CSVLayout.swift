/// Where the fields of a CSV text are.
///
/// SwiftCSV reads the fields, but neither says where one is nor minds a quote that is never closed. This finds the places,
/// by the rules of RFC 4180, and refuses what these don't allow.
struct CSVLayout {
  /// The place of each field, record by record.
  private(set) var records: [[LedgerError.Place]] = []

  private enum State {
    /// Before a field's first character.
    case between
    /// In a field without quotes.
    case plain
    /// In quotes; the field begins there.
    case quoted(LedgerError.Place)
    /// After a quote in quotes: their end, or the first half of a doubled one.
    case closing(LedgerError.Place)
  }

  private var state = State.between
  private var record: [LedgerError.Place] = []
  private var place: LedgerError.Place

  /// Finds the fields.
  ///
  /// - Parameters:
  ///   - text: ends with a line break.
  ///   - file: what the text is called in errors.
  init(_ text: String, file: String) throws(LedgerError) {
    place = LedgerError.Place(file: file, line: 1, column: 1)
    for character in text {
      try read(character)
      if character.isNewline {
        place.line += 1
        place.column = 1
      } else {
        place.column += 1
      }
    }
    if case .quoted(let begin) = state {
      throw LedgerError(.malformed, "This quote is never closed.", at: begin)
    }
  }

  private mutating func read(_ character: Character) throws(LedgerError) {
    switch (state, character) {
    case (.quoted(let begin), "\""): state = .closing(begin)
    case (.quoted, _): break
    case (.closing(let begin), "\""): state = .quoted(begin)
    case (.between, _) where character == "," || character.isNewline: end(place, isLast: character.isNewline)
    case (.between, "\""): state = .quoted(place)
    case (.between, _) where character.isWhitespace: break
    case (.between, _):
      record.append(place)
      state = .plain
    case (.plain, _) where character == "," || character.isNewline: end(nil, isLast: character.isNewline)
    case (.plain, "\""):
      throw LedgerError(
        .malformed, "There is a quote in a field that is not in quotes: put it in quotes, and double those in it.",
        at: place)
    case (.plain, _): break
    case (.closing(let begin), _) where character == "," || character.isNewline:
      end(begin, isLast: character.isNewline)
    case (.closing, _) where character.isWhitespace: break
    case (.closing, _):
      throw LedgerError(.malformed, "There is a \"\(character)\" after the quotes of a field.", at: place)
    }
  }

  /// A field ends here.
  ///
  /// - Parameter begin: where it began, if that has not been noted.
  private mutating func end(_ begin: LedgerError.Place?, isLast: Bool) {
    if let begin { record.append(begin) }
    state = .between
    guard isLast else { return }
    records.append(record)
    record = []
  }
}
