import Foundation
import Testing

@testable import Ledger

/// Swift's strings are equal if they are canonically equivalent: `é` of one code point, and of two.
@Suite("Two spellings of one text")
struct SpellingTests {
  static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
  let folder: Folder

  init() throws { folder = try Folder() }

  static func posting(_ entries: String..., reference: String? = nil) throws -> Posting {
    try Posting(Day("2026-01-31"), "Test", reference: reference, entries.map(Entry.init))
  }

  @Test("Two spellings of one text are two accounts, in one posting and in two")
  func accounts() throws {
    try folder.ledger.post(Self.posting("\(Self.composed) 1 EUR", "\(Self.decomposed) -1 EUR"))
    try folder.ledger.post(Self.posting("\(Self.decomposed):Sub 2 EUR", "\(Self.composed):Sub -2 EUR"))
    let books = try folder.ledger.books()
    #expect(try Balances(books.journal).accounts.map(\.amount) == ["-1.00", "2.00", "1.00", "-2.00"])
    #expect(MonthlyReport(books.journal).rows.map(\.total) == ["1.00", "2.00", "-1.00", "-2.00"])
    try books.audit(books.log)
  }

  @Test("Two spellings of one text are two references, and each is taken once")
  func references() throws {
    try folder.ledger.post(Self.posting("A 1 EUR", "B -1 EUR", reference: Self.composed))
    try folder.ledger.post(Self.posting("A 2 EUR", "B -2 EUR", reference: Self.decomposed))
    #expect(try folder.ledger.books().journal.postingCount == 2)
    for reference in [Self.composed, Self.decomposed] {
      let error = #expect(throws: LedgerError.self) {
        try folder.ledger.post(Self.posting("A 1 EUR", "B -1 EUR", reference: reference))
      }
      #expect(error?.code == .duplicate)
    }
  }

  @Test("Two spellings of one text are two references in a statement and in a journal")
  func imported() throws {
    let rows = [Self.composed, Self.decomposed].map { "\($0),2026-01-05,x,A,1,EUR\n\($0),2026-01-05,x,B,-1,EUR\n" }
    let table = try CSVTable("reference,date,description,account,amount,currency\n" + rows.joined(), file: "bank.csv")
    #expect(try Statement(table, posted: []).postings.count == 2)
    let texts = [Self.composed, Self.decomposed].map { "2026-01-05 (\($0)) x\n  A  1 EUR\n  B  -1 EUR\n" }
    #expect(try HledgerJournal(texts.joined(), file: "my.journal", posted: []).postings.count == 2)
  }

  @Test("Two spellings of one text are two commodities, and no new posting exchanges one for the other")
  func commodities() throws {
    #expect(try Commodity(Self.composed) != Commodity(Self.decomposed))
    let posting = try Self.posting("A 1 \(Self.composed)", "B -1 \(Self.decomposed)")
    let error = #expect(throws: LedgerError.self) { try posting.checkPrintable() }
    #expect(error?.code == .unbalanced)
  }

  @Test("Older books that exchange two spellings of a commodity stay readable")
  func olderBooks() throws {
    try folder.ledger.post(Self.posting("A 1 \(Self.composed)", "B -1 \(Self.decomposed)"))
    let balances = try Balances(folder.ledger.books().journal)
    #expect(balances.accounts.map(\.currency.utf8.count) == [5, 6])
    #expect(balances.total.map(\.amount) == ["-1", "1"])
  }
}
