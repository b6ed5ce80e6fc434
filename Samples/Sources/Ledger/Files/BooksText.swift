/// The text of books in a file: a line that describes the rest, and then a line for each action.
///
/// ```text
/// ledger-books 2
/// 5d1f0a4b9c36e872⇥post⇥1⇥0c2e8f6a1b3d5974⇥1⇥2026-01-31⇥⇥⇥Coffee⇥2⇥Expenses:Food⇥3.50 EUR⇥Assets:Cash⇥-3.50 EUR
/// 98b7c6d5e4f30121⇥undo⇥0⇥cbf29ce484222325
/// ```
///
/// The fields of a line have a tab between them:
/// - the seal of all lines up to here, which reveals each change of a byte;
/// - the action, and the position in the journal that it led to, by which the actions are audited when they are
///   repeated;
/// - the number of postings, and for each its day, reference, comment, description and number of entries, and for each
///   entry its account and its amount.
enum BooksText {
  /// The version of the format that this program writes.
  static let version = 2
  /// The first bytes of every version's head.
  static let format = "ledger-books "
  static let head = "\(format)\(version)\n"

  /// Returns the line of an action.
  ///
  /// - Parameters:
  ///   - position: the position that the action led to.
  ///   - seal: the seal of the lines before it, which becomes that of this one too.
  /// - Throws: ``LedgerError`` if the line could not be read back as the same action.
  static func line(
    _ change: JournalAction.Change, leadingTo position: Journal.Position, after seal: inout Seal
  ) throws(LedgerError) -> String {
    let line = text(change, leadingTo: position, after: &seal)
    try check(line, says: change, leadingTo: position)
    return line
  }

  /// Checks a line that is about to be written by reading it.
  ///
  /// Nothing else would find a text that the format can't hold before it has damaged the books.
  static func check(
    _ line: String, says change: JournalAction.Change, leadingTo position: Journal.Position
  ) throws(LedgerError) {
    let reason: String
    do throws(LedgerError) {
      var reader = BooksReader(Array(line.utf8)[...])
      let (written, place) = try reader.action()
      if written == change, place == position, reader.isAtEnd { return }
      reason = "It would say something else (\(written))."
    } catch {
      reason = error.reason
    }
    throw LedgerError(.malformed, "The books can't keep this change (\(change)): \(reason)")
  }

  private static func text(
    _ change: JournalAction.Change, leadingTo position: Journal.Position, after seal: inout Seal
  ) -> String {
    let place = ["\(position.stepCount)", "\(position.seal)"]
    let fields =
      switch change {
      case .undo: ["undo"] + place
      case .redo: ["redo"] + place
      case .post(let postings): ["post"] + place + ["\(postings.count)"] + postings.flatMap(fields)
      }
    let text = "\t" + fields.joined(separator: "\t") + "\n"
    seal.add(text.utf8)
    return "\(seal)\(text)"
  }

  private static func fields(_ posting: Posting) -> [String] {
    let texts = [posting.reference ?? "", posting.comment ?? "", posting.description].map(escaped)
    let entries = posting.entries.flatMap { [escaped($0.account.name), escaped($0.amount.description)] }
    return ["\(posting.day)"] + texts + ["\(posting.entries.count)"] + entries
  }

  /// Returns a text as one line without tabs.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\\") }) else { return text }
    // Not by characters, because a combining mark forms one with the backslash before it.
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\t": text += "\\t"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the text that was escaped.
  static func unescaped(_ text: String) -> String {
    var (rest, result) = (text.unicodeScalars[...], "")
    while let scalar = rest.popFirst() {
      switch (scalar, rest.first) {
      case ("\\", "\\"): result.unicodeScalars.append(rest.removeFirst())
      case ("\\", "t"):
        rest.removeFirst()
        result += "\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns all lines of some books, with the head, and their seal.
  static func all(of books: Books) throws(LedgerError) -> (String, Seal) {
    var (text, seal, journal) = (head, Seal.none, Journal())
    for change in books.log.changes {
      guard case .action(let action) = change else {
        throw LedgerError(.diverged, "There is a change in the log that is no action.")
      }
      try journal.apply(action)
      text += try line(action.change, leadingTo: journal.position, after: &seal)
    }
    return (text, seal)
  }
}
