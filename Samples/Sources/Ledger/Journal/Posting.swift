/// Money that moves between accounts: entries that come to zero in each commodity.
///
/// Every posting balances: one that does not can neither be made nor decoded.
struct Posting: Hashable, Sendable {
  let day: Day
  /// The text on its subject; empty if there is none.
  let description: String
  /// Its reference elsewhere, for example in a bank's statement; no two postings of a journal have the same.
  let reference: String?
  /// A comment.
  let comment: String?
  let entries: [Entry]

  init(
    _ day: Day, _ description: String, reference: String? = nil, comment: String? = nil, _ entries: [Entry]
  ) throws(LedgerError) {
    if !description.isEmpty { try Self.check(description) }
    if let reference { try Self.check(reference) }
    if let comment { try Self.check(comment) }
    self.day = day
    self.description = description
    self.reference = reference
    self.comment = comment
    self.entries = entries
    guard entries.count >= 2 else {
      throw LedgerError(.unbalanced, "\(title) has \(entries.count) entries, and needs at least two.")
    }
    let balance = Balance(entries.lazy.map(\.amount))
    // Older versions treated two spellings of a commodity as one, and their books can be read.
    guard balance.isZero || balance.isZeroInAnySpelling else {
      throw LedgerError(
        .unbalanced, "\(title) does not balance: its entries come to \(balance), not to zero.")
    }
  }

  private var title: String { Self.title(day, description) }

  /// The posting's name in errors.
  static func title(_ day: Day, _ description: String) -> String {
    description.isEmpty ? "The posting of \(day)" : "\"\(description)\""
  }

  /// Refuses a text that is not a line.
  ///
  /// Books of an older version may hold control characters, which new postings can't have.
  private static func check(_ text: String) throws(LedgerError) {
    if text.isEmpty { throw LedgerError(.malformed, "There has to be a text here.") }
    // Line breaks outside of ASCII have more than one byte.
    if !text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }), text.contains(where: \.isNewline) {
      throw LedgerError(.malformed, "There is a line break in this text; it has to be one line.")
    }
  }
}

extension Posting {
  /// Refuses a posting that would be another one once it is printed as an hledger journal and read again.
  ///
  /// Only a description may change: what follows a semicolon in it is a comment to hledger, and to an import.
  /// Books of an older version may hold such texts, which new postings can't have.
  func checkPrintable() throws(LedgerError) {
    if !description.isEmpty { try Self.checkPrintable(description: description) }
    if let comment { try Self.checkPrintable(comment: comment) }
    if let reference { try Self.checkPrintable(reference: reference) }
    for entry in entries {
      try entry.account.checkPrintable()
      try entry.amount.commodity.checkPrintable()
    }
    guard Balance(entries.lazy.map(\.amount)).isZero else {
      throw LedgerError(
        .unbalanced,
        "\(title) does not balance: its entries have commodities that look the same and are spelled differently."
      )
    }
  }

  /// Refuses a description that would be a comment, or lose the blanks at its ends.
  static func checkPrintable(description: String) throws(LedgerError) {
    try description.checkPrintable()
    guard description.unicodeScalars.first == ";" || description.hasBlankEnd else { return }
    throw LedgerError(
      .malformed, "\"\(description)\" is not a description: it begins with a semicolon, or begins or ends with a space."
    )
  }

  /// Refuses a comment that would lose the blanks at its ends.
  static func checkPrintable(comment: String) throws(LedgerError) {
    try comment.checkPrintable()
    guard comment.hasBlankEnd else { return }
    throw LedgerError(.malformed, "\"\(comment)\" is not a comment: it begins or ends with a space.")
  }

  /// Refuses a reference that can't stand between parentheses.
  static func checkPrintable(reference: String) throws(LedgerError) {
    try reference.checkPrintable()
    guard reference.unicodeScalars.contains(")") || reference.hasBlankEnd else { return }
    throw LedgerError(
      .malformed,
      "\"\(reference)\" is not a reference: it has a parenthesis that closes, or begins or ends with a space.")
  }
}

extension Account {
  /// Refuses a name that ends early in an hledger journal, or is something else there.
  func checkPrintable() throws(LedgerError) {
    try name.checkPrintable()
    let scalars = name.unicodeScalars
    let isAmbiguous =
      zip(scalars, scalars.dropFirst()).contains { $0 == " " && $1 == " " } || scalars.contains(";")
      || scalars.begins(withOneOf: "([*!")
    guard isAmbiguous else { return }
    throw LedgerError(
      .malformed,
      "\"\(name)\" is not an account: no name has two spaces in a row or a semicolon, or begins with (, [, * or !.")
  }
}

extension Commodity {
  /// Refuses a name that ends early in an hledger journal, where no quotes keep a semicolon.
  fileprivate func checkPrintable() throws(LedgerError) {
    guard symbol.unicodeScalars.contains(";") else { return }
    throw LedgerError(.malformed, "\"\(symbol)\" is not a commodity: no name has a semicolon.")
  }
}

extension Posting: Codable {
  private enum Key: String, CodingKey, CaseIterable { case date, description, reference, comment, entries }

  /// Refuses keys of an encoded posting that are unknown, for example because they are misspelled.
  static func checkKeys(_ keys: [String]) throws(LedgerError) {
    let known = Key.allCases.map(\.rawValue)
    let unknown = keys.filter { !known.contains($0) }.sorted()
    if unknown.isEmpty { return }
    throw LedgerError(.malformed, "A posting has no \(alternatives(unknown)), but a \(alternatives(known)).")
  }

  private static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { "\"\($0)\"" }
    let first = quoted.dropLast().joined(separator: ", ")
    return first.isEmpty ? quoted.joined() : "\(first) or \(quoted[quoted.count - 1])"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try self.init(
      try Day(container.decode(String.self, forKey: .date)),
      try container.decode(String.self, forKey: .description),
      reference: try container.decodeIfPresent(String.self, forKey: .reference),
      comment: try container.decodeIfPresent(String.self, forKey: .comment),
      try container.decode([Entry].self, forKey: .entries))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(day.description, forKey: .date)
    try container.encode(description, forKey: .description)
    try container.encodeIfPresent(reference, forKey: .reference)
    try container.encodeIfPresent(comment, forKey: .comment)
    try container.encode(entries, forKey: .entries)
  }
}
