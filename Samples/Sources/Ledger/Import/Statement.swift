/// The postings of a CSV file, with an entry for each row, and a posting for consecutive rows with the same reference.
struct Statement {
  let postings: [Posting]

  /// The columns that the file must have, in any order.
  private enum Column: String, CaseIterable { case reference, date, description, account, amount, currency }

  private struct Row {
    let fields: [CSVTable.Field]
    /// The field of each column.
    let columns: [Column]

    subscript(column: Column) -> String { field(column)?.text ?? "" }

    private func field(_ column: Column) -> CSVTable.Field? { columns.firstIndex(of: column).map { fields[$0] } }

    /// Reads a column; an error gets its place.
    func read<Value>(_ column: Column, _ body: (String) throws(LedgerError) -> Value) throws(LedgerError) -> Value {
      do {
        return try body(self[column])
      } catch {
        throw LedgerError(error.code, error.reason, at: field(column)?.place)
      }
    }

    func entry() throws(LedgerError) -> Entry {
      let commodity = try read(.currency) { text throws(LedgerError) in try Commodity(text) }
      return Entry(
        try read(.account) { text throws(LedgerError) in
          try text.checkPrintable()
          let account = try Account(text)
          try account.checkPrintable()
          return account
        },
        try read(.amount) { text throws(LedgerError) in try Amount(text, commodity) })
    }
  }

  /// Reads the postings.
  ///
  /// - Parameters:
  ///   - posted: the references of earlier postings.
  /// - Throws: ``LedgerError`` with the place of the first field that can't be posted.
  init(_ table: CSVTable, posted: Set<Spelling>) throws(LedgerError) {
    let rows = try Self.rows(of: table)
    var postings: [Posting] = []
    var references = posted
    var first = 0
    while first < rows.count {
      let same = rows[first...].prefix { Spelling($0[.reference]) == Spelling(rows[first][.reference]) }
      first = same.endIndex
      let posting = try Self.posting(of: Array(same))
      try same[same.startIndex].read(.reference) { reference throws(LedgerError) in
        if !references.insert(Spelling(reference)).inserted {
          throw LedgerError(.duplicate, "\"\(reference)\" has been posted before.")
        }
      }
      postings.append(posting)
    }
    self.postings = postings
  }

  private static func rows(of table: CSVTable) throws(LedgerError) -> [Row] {
    var columns: [Column] = []
    for field in table.header {
      guard let column = Column(rawValue: field.text.lowercased()), !columns.contains(column) else {
        let names = Column.allCases.map(\.rawValue).joined(separator: ", ")
        throw LedgerError(
          .malformed, "\"\(field.text)\" is not a column here: there is one each of \(names).", at: field.place)
      }
      columns.append(column)
    }
    if let missing = Column.allCases.first(where: { !columns.contains($0) }) {
      throw LedgerError(.malformed, "There is no column \"\(missing.rawValue)\".", at: table.header[0].place)
    }
    return table.rows.map { row in Row(fields: row, columns: columns) }
  }

  /// Returns the posting that some rows make.
  private static func posting(of rows: [Row]) throws(LedgerError) -> Posting {
    let first = rows[0]
    try first.read(.reference) { text throws(LedgerError) in try Posting.checkPrintable(reference: text) }
    try first.read(.description) { text throws(LedgerError) in try Posting.checkPrintable(description: text) }
    let day = try first.read(.date) { text throws(LedgerError) in try Day(text) }
    var entries: [Entry] = []
    for row in rows {
      for column in [Column.date, .description] {
        try row.read(column) { text throws(LedgerError) in
          if Spelling(text) != Spelling(first[column]) {
            throw LedgerError(.malformed, "\"\(text)\" differs from the \"\(first[column])\" of the same posting.")
          }
        }
      }
      entries.append(try row.entry())
    }
    return try first.read(.reference) { reference throws(LedgerError) in
      let posting = try Posting(day, first[.description], reference: reference, entries)
      try posting.checkPrintable()
      return posting
    }
  }
}
