/// The postings of a journal in hledger's format, as far as the help of `ledger import` describes.
struct HledgerJournal {
  private(set) var postings: [Posting] = []

  /// The directives that don't affect what is posted.
  private static let ignored: Set<Substring> = ["account", "commodity", "payee", "tag", "P"]

  private var lines: ArraySlice<JournalLine>
  private var references: Set<Spelling>

  /// Reads the postings.
  ///
  /// - Parameters:
  ///   - file: the name of the text in errors.
  ///   - posted: the references of earlier postings.
  /// - Throws: ``LedgerError`` with the place of the first thing that can't be posted.
  init(_ text: String, file: String, posted: Set<Spelling>) throws(LedgerError) {
    let texts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak)
    lines = texts.enumerated().map { JournalLine(text: $1, number: $0 + 1, file: file) }[...]
    references = posted
    while let line = lines.popFirst() { try read(line) }
  }

  private mutating func read(_ line: JournalLine) throws(LedgerError) {
    try line.check()
    if line.isBlank || line.isComment { return }
    let word = line.text.prefix { !$0.isWhitespace }
    if line.trimmed == "comment", !line.isIndented {
      while let next = lines.popFirst(), next.isIndented || next.trimmed != "end comment" {}
    } else if word.first?.isNumber == true {
      postings.append(try HledgerTransaction(line, indented()).posting(&references))
    } else if Self.ignored.contains(word) {
      for part in [line] + (try indented()) where word == "commodity" { try Self.checkDecimalMarks(part) }
    } else {
      throw line.error(
        .malformed,
        line.isIndented
          ? "This line belongs to nothing: transactions begin with a date at the beginning of a line."
          : "\"\(word)\" is not something that can be imported; see 'ledger help import'.",
        at: line.trimmed)
    }
  }

  /// Returns the lines that belong to what the line before them began.
  private mutating func indented() throws(LedgerError) -> [JournalLine] {
    let block = lines.prefix(while: \.isIndented)
    lines = lines.dropFirst(block.count)
    for line in block { try line.check() }
    return Array(block)
  }

  /// Refuses a commodity that is declared to be written with a decimal comma, or with points between the digits.
  private static func checkDecimalMarks(_ line: JournalLine) throws(LedgerError) {
    let (text, _) = line.text.divided(at: ";")
    let points = text.unquotedIndices(of: ".")
    if let comma = text.unquotedIndices(of: ",").last, points.allSatisfy({ $0 < comma }) {
      throw line.error(
        .malformed, "Numbers have a decimal point here, and commas only before each three digits.", at: text[comma...])
    }
    guard let second = points.dropFirst().first else { return }
    throw line.error(
      .malformed,
      "There is a second decimal point here: numbers have one, and commas only before each three digits.",
      at: text[second...])
  }
}
