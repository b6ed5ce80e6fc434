/// The postings in hledger's format, which hledger can read, and which can be imported again.
///
/// An empty code stands before a description that hledger would take for a status or a code. If a description has a
/// semicolon, hledger takes the text after it for a comment. Accounts and references that hledger would take for
/// something else are not posted; only the books of older versions have them.
struct PrintedJournal {
  let text: String

  init(_ journal: Journal) {
    text = journal.postings.map(Self.text).joined(separator: "\n")
  }

  private static func text(_ posting: Posting) -> String {
    let needsCode = posting.description.unicodeScalars.begins(withOneOf: "*!(")
    let code = posting.reference.map { "(\($0))" } ?? (needsCode ? "()" : "")
    let head = ["\(posting.day)", code, posting.description].filter { !$0.isEmpty }.joined(separator: " ")
    let comment = posting.comment.map { "  ; \($0)" } ?? ""
    let rows = posting.entries.map { ["    \($0.account)", "\($0.amount)"] }
    return "\(head)\(comment)\n" + TextTable(rows).text
  }
}
