/// A reader of the lines of a file of books, field by field.
struct BooksReader {
  private static let (tab, newline, backslash) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\\"))

  private var rest: ArraySlice<UInt8>
  /// The accounts read so far, so that each is read once.
  private var accounts: [Spelling: Account] = [:]

  /// - Parameter lines: whole lines.
  init(_ lines: ArraySlice<UInt8>) { rest = lines }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads the beginning of a line: the name of an action, and the position in the journal that it led to.
  mutating func beginning() throws(LedgerError) -> (name: String, position: Journal.Position) {
    // The line's seal has been compared before.
    _ = try field()
    let name = try text()
    let stepCount = try count()
    guard let seal = Seal(try text()) else { throw Self.malformed("a seal") }
    return (name, Journal.Position(stepCount: stepCount, seal: seal))
  }

  /// Reads a line: an action, and the position in the journal that it led to.
  mutating func action() throws(LedgerError) -> (change: JournalAction.Change, position: Journal.Position) {
    let (name, position) = try beginning()
    let change: JournalAction.Change
    switch name {
    case "undo": change = .undo
    case "redo": change = .redo
    case "post": change = .post(postings: try postings())
    default: throw Self.malformed("an action")
    }
    guard rest.popFirst() == Self.newline else { throw Self.malformed("the end of the line") }
    return (change, position)
  }

  private mutating func postings() throws(LedgerError) -> [Posting] {
    let count = try count()
    var postings: [Posting] = []
    for _ in 0..<count { postings.append(try posting()) }
    return postings
  }

  private mutating func posting() throws(LedgerError) -> Posting {
    let day = try Day(field())
    let (reference, comment, description) = (try text(), try text(), try text())
    let count = try count()
    var entries: [Entry] = []
    entries.reserveCapacity(min(count, 8))
    for _ in 0..<count { entries.append(Entry(try account(), try amount())) }
    return try Posting(
      day, description, reference: reference.isEmpty ? nil : reference, comment: comment.isEmpty ? nil : comment,
      entries)
  }

  private mutating func account() throws(LedgerError) -> Account {
    let text = try text()
    let spelling = Spelling(text)
    if let account = accounts[spelling] { return account }
    let account = try Account(text)
    accounts[spelling] = account
    return account
  }

  private mutating func amount() throws(LedgerError) -> Amount {
    let field = try field()
    return try Amount(field.contains(Self.backslash) ? Array(unescaped(field).utf8)[...] : field)
  }

  private mutating func count() throws(LedgerError) -> Int {
    guard let count = Int(try text()), count >= 0 else { throw Self.malformed("a number") }
    return count
  }

  private mutating func text() throws(LedgerError) -> String {
    let field = try field()
    return field.contains(Self.backslash) ? unescaped(field) : String(decoding: field, as: UTF8.self)
  }

  /// Reads the bytes up to the next tab, which is read too, or the end of the line.
  private mutating func field() throws(LedgerError) -> ArraySlice<UInt8> {
    guard let end = rest.firstIndex(where: { $0 == Self.tab || $0 == Self.newline }) else {
      throw Self.malformed("a field")
    }
    let field = rest[..<end]
    rest = rest[(rest[end] == Self.tab ? end + 1 : end)...]
    return field
  }

  private func unescaped(_ field: ArraySlice<UInt8>) -> String {
    BooksText.unescaped(String(decoding: field, as: UTF8.self))
  }

  private static func malformed(_ what: String) -> LedgerError {
    LedgerError(.malformed, "There is not \(what) where there should be.")
  }
}
