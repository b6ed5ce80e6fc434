/// The postings as hledger writes them: what is printed can be read by hledger, and imported again.
///
/// Texts are printed as they are, also those in which hledger sees something else: a semicolon, which begins a comment
/// there, or a description that begins with a status or a code.
struct PrintedJournal {
  let text: String

  init(_ journal: Journal) {
    text = journal.postings.map(Self.text).joined(separator: "\n")
  }

  private static func text(_ posting: Posting) -> String {
    let reference = posting.reference.map { "(\($0)) " } ?? ""
    let comment = posting.comment.map { "  ; \($0)" } ?? ""
    let rows = posting.entries.map { ["    \($0.account)", "\($0.amount)"] }
    return "\(posting.day) \(reference)\(posting.description)\(comment)\n" + TextTable(rows).text
  }
}
