/// Reads the lines of a file of books, field by field.
struct BooksReader {
  private static let (tab, newline, backslash) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\\"))

  private var rest: ArraySlice<UInt8>
  /// Each account and each commodity is read once, however many entries have it.
  private var accounts: [String: Account] = [:]

  /// - Parameter lines: whole lines.
  init(_ lines: ArraySlice<UInt8>) { rest = lines }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads a line: an action, and the seal of the journal that it led to.
  mutating func action() throws(LedgerError) -> (JournalAction.Change, Seal) {
    let name = try text()
    guard let seal = Seal(try text()) else { throw Self.malformed("a seal") }
    let change: JournalAction.Change
    switch name {
    case "undo": change = .undo
    case "redo": change = .redo
    case "post": change = .post(postings: try postings())
    default: throw Self.malformed("an action")
    }
    guard rest.popFirst() == Self.newline else { throw Self.malformed("the end of the line") }
    return (change, seal)
  }

  private mutating func postings() throws(LedgerError) -> [Posting] {
    let count = try count()
    var postings: [Posting] = []
    postings.reserveCapacity(count)
    for _ in 0..<count { postings.append(try posting()) }
    return postings
  }

  private mutating func posting() throws(LedgerError) -> Posting {
    let day = try Day(field())
    let (reference, comment, description) = (try text(), try text(), try text())
    let count = try count()
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count { entries.append(Entry(try account(), try amount())) }
    return try Posting(
      day, description, reference: reference.isEmpty ? nil : reference, comment: comment.isEmpty ? nil : comment,
      entries)
  }

  private mutating func account() throws(LedgerError) -> Account {
    let text = try text()
    if let account = accounts[text] { return account }
    let account = try Account(text)
    accounts[text] = account
    return account
  }

  private mutating func amount() throws(LedgerError) -> Amount {
    let field = try field()
    return try Amount(field.contains(Self.backslash) ? Array(Self.unescaped(field).utf8)[...] : field)
  }

  /// A number, of no more things than there are bytes.
  private mutating func count() throws(LedgerError) -> Int {
    guard let count = Int(try text()), 0...rest.count ~= count else { throw Self.malformed("a number") }
    return count
  }

  private mutating func text() throws(LedgerError) -> String {
    let field = try field()
    return field.contains(Self.backslash) ? Self.unescaped(field) : String(decoding: field, as: UTF8.self)
  }

  /// The bytes up to the next tab, which is read too, or the end of the line.
  private mutating func field() throws(LedgerError) -> ArraySlice<UInt8> {
    guard let end = rest.firstIndex(where: { $0 == Self.tab || $0 == Self.newline }) else {
      throw Self.malformed("a field")
    }
    let field = rest[..<end]
    rest = rest[(rest[end] == Self.tab ? end + 1 : end)...]
    return field
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
    let parts = String(decoding: field, as: UTF8.self).split(separator: "\\\\", omittingEmptySubsequences: false)
    return parts.map { $0.replacing("\\t", with: "\t") }.joined(separator: "\\")
  }

  private static func malformed(_ what: String) -> LedgerError {
    LedgerError(.malformed, "There is not \(what) where there should be.")
  }
}
