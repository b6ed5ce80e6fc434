/// The books as they are kept in a file: a line that says what follows, and then a line for each action, for good.
///
/// ```text
/// ledger-books 2
/// post⇥5d1f0a4b9c36e872⇥1⇥2026-01-31⇥⇥⇥Coffee⇥2⇥Expenses:Food⇥3.50 EUR⇥Assets:Cash⇥-3.50 EUR
/// undo⇥0c2e8f6a1b3d5974
/// ```
///
/// The fields of a line have a tab between them: the action, the seal of the journal that it led to, how many postings it has, and for
/// each its day, reference, comment, description and how many entries, and for each of these its account and amount.
/// Whoever reads the books does every action again and compares the seals, and so audits them.
enum BooksText {
  static let head = "ledger-books 2\n"
  /// What the head of every version begins with.
  static let format = "ledger-books "

  /// The line of an action.
  ///
  /// - Parameter seal: the seal of the journal that it led to.
  static func line(_ change: JournalAction.Change, leadingTo seal: Seal) -> String {
    switch change {
    case .undo: "undo\t\(seal)\n"
    case .redo: "redo\t\(seal)\n"
    case .post(let postings):
      (["post", "\(seal)", "\(postings.count)"] + postings.flatMap(fields)).joined(separator: "\t") + "\n"
    }
  }

  private static func fields(_ posting: Posting) -> [String] {
    let texts = [posting.reference ?? "", posting.comment ?? "", posting.description].map(escaped)
    let entries = posting.entries.flatMap { [escaped($0.account.name), escaped($0.amount.description)] }
    return ["\(posting.day)"] + texts + ["\(posting.entries.count)"] + entries
  }

  /// A text of one line without tabs.
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\\") }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\t", with: "\\t")
  }
}

extension Books {
  /// All that is kept in a file of these books.
  var text: String {
    get throws(LedgerError) {
      var books = Books()
      var text = BooksText.head
      for change in log.changes {
        guard case .action(let action) = change else {
          throw LedgerError(.diverged, "There is a change in the log that is no action.")
        }
        try books.perform(action.change)
        text += BooksText.line(action.change, leadingTo: books.journal.seal)
      }
      return text
    }
  }

  /// Does again what the lines of a file say.
  ///
  /// - Parameters:
  ///   - lines: whole lines, without the head.
  ///   - file: what the lines are from, in errors.
  /// - Throws: ``LedgerError`` with the number of the first line that can't be read, or does not lead to what it led to when it was
  ///   written.
  init(_ lines: ArraySlice<UInt8>, file: String) throws(LedgerError) {
    self.init()
    var reader = BooksReader(lines)
    while !reader.isAtEnd {
      let line = log.count + 2
      do throws(LedgerError) {
        let (change, seal) = try reader.action()
        try perform(change)
        guard journal.seal == seal else {
          throw LedgerError(.diverged, "The action does not lead to what it led to when it was made (\(change)).")
        }
      } catch {
        throw LedgerError(error.code, error.reason, at: LedgerError.Place(file: file, line: line, column: 1))
      }
    }
  }
}
