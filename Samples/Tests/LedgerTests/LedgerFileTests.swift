import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("The ledger's file")
struct LedgerFileTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test("The first change creates a ledger file, and reading creates none")
  func missing() throws {
    let error = #expect(throws: LedgerError.self) { try folder.ledger.books() }
    #expect(error?.code == .inaccessible)
    #expect(try folder.names.isEmpty)
    #expect(throws: LedgerError.self) { try folder.ledger.change { try $0.perform(.undo) } }
    #expect(try folder.names.isEmpty)
    let elsewhere = LedgerFile(path: folder["new/ledger.books"])
    for change in [JournalAction.Change.undo, .redo] {
      let error = #expect(throws: LedgerError.self) { try elsewhere.changeExisting { try $0.perform(change) } }
      #expect(error?.code == .inaccessible)
    }
    #expect(try folder.names.isEmpty)
    try folder.ledger.change { try $0.perform(.post(1)) }
    #expect(try folder.ledger.books().journal.postingCount == 1)
    #expect(try folder.names == ["ledger.books"])
  }

  @Test(
    "A ledger file exists even if it can't be read",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem")))
  func unreadable() throws {
    let file = LedgerFile(path: "/proc/self/mem")
    #expect(throws: PersistenceError.self) { try file.books() }
    #expect(try file.exists)
  }

  @Test("A ledger file is changed by one writer at a time and read by all")
  func locked() throws {
    try folder.ledger.change { open in
      try open.perform(.post(1))
      let error = #expect(throws: PersistenceError.self) { try folder.ledger.change { _ in } }
      #expect(error?.code == .inUse)
      #expect(try folder.ledger.books().journal.postingCount == 1)
    }
    try folder.ledger.post(.spending(2))
    #expect(try folder.ledger.books().journal.postingCount == 2)
  }

  @Test("A ledger file is free again after a refused change")
  func freed() throws {
    for _ in 1...2 {
      let error = #expect(throws: LedgerError.self) { try folder.ledger.change { try $0.perform(.undo) } }
      #expect(error?.code == .nothingToUndoOrRedo)
    }
  }

  @Test("A ledger file is created together with its folder")
  func noFolder() throws {
    let file = LedgerFile(path: folder["new/ledger.books"])
    try file.post(.spending(1))
    #expect(try file.books().journal.postingCount == 1)
  }

  @Test("A ledger file keeps what was done when the books are opened again and again", arguments: 1...20)
  func kept(seed: UInt64) throws {
    for round in 0..<5 { try folder.change(seed: seed &* 100 &+ UInt64(round), changes: 8) }
    let books = try folder.ledger.books()
    try books.audit(books.log)
    let before = try folder.read("ledger.books")
    try folder.ledger.post(.spending(7))
    // It only grows.
    #expect(try folder.read("ledger.books").starts(with: before))
    var all = books
    try all.perform(.post(7))
    #expect(try folder.ledger.books().journal == all.journal)
  }

  @Test(
    "A ledger file keeps texts with tabs and backslashes, as older books have them",
    arguments: ["\\", "a\tb", "\\t\\\t\\\\t", "\t", "\t\u{301}", "\\\u{301}t", "\\t\u{301}\\\\\u{301}\t\u{301}"])
  func escaping(text: String) throws {
    try folder.ledger.post(
      Posting(
        Day("2026-01-31"), text, reference: text, comment: text,
        [Entry(Account("A\(text)b"), Amount("1 EUR")), Entry(Account("B"), Amount("-1 EUR"))]))
    let posting = try #require(try folder.ledger.books().journal.postings.first)
    #expect([posting.description, posting.reference, posting.comment] == [text, text, text])
    #expect(posting.entries[0].account.name == "A\(text)b")
  }

  @Test("A ledger file takes a reference once, and again after its posting was taken back")
  func references() throws {
    try folder.ledger.post(.spending(1, reference: "r"))
    let error = #expect(throws: LedgerError.self) { try folder.ledger.post(.spending(2, reference: "r")) }
    #expect(error?.code == .duplicate)
    try folder.ledger.post(.spending(3, reference: "350 cents"))
    try folder.ledger.change { open in for _ in 1...2 { try open.perform(.undo) } }
    try folder.ledger.post(.spending(4, reference: "r"))
    #expect(try folder.ledger.books().journal.postings.map(\.description) == ["4 cents"])
  }

  @Test(
    "A ledger file is not written to if something else has changed it since it was read",
    arguments: [Data(), Data("x".utf8)])
  func changed(rest: Data) throws {
    try folder.ledger.post(.spending(1))
    let good = try folder.read("ledger.books")
    let other = rest.isEmpty ? good.dropLast(5) : good + rest
    try folder.ledger.change { open in
      try folder.write(other, to: "ledger.books")
      let error = #expect(throws: PersistenceError.self) { try open.perform(.post(2)) }
      #expect(error?.code == .changed)
      #expect(open.books.journal.postingCount == 1)
    }
    #expect(try folder.read("ledger.books") == other)
  }

  @Test("A ledger file with exchanged, missing or repeated lines is refused")
  func rearranged() throws {
    for cents in 1...3 as ClosedRange<Int64> { try folder.ledger.post(.spending(cents)) }
    let lines = String(decoding: try folder.read("ledger.books"), as: UTF8.self).split(separator: "\n")
    for order in [[0, 2, 1, 3], [0, 2, 3], [0, 1, 3], [0, 1, 1, 2, 3], [0, 1, 2, 3, 3]] {
      _ = try folder.write(order.map { lines[$0] + "\n" }.joined(), to: "ledger.books")
      let error = #expect(throws: PersistenceError.self) { try folder.ledger.post(.spending(1)) }
      #expect(error?.code == .damaged)
    }
  }

  @Test("A ledger file with forged seals is refused if its lines don't lead to what they say")
  func forged() throws {
    var seal = Seal.none
    let change = try JournalAction.Change.post(1)
    let line = try BooksText.line(change, leadingTo: Journal.Position(stepCount: 1, seal: .none), after: &seal)
    _ = try folder.write(BooksText.head + line, to: "ledger.books")
    let error = #expect(throws: PersistenceError.self) { try folder.ledger.books() }
    #expect(error?.description.contains("ledger.books:2:1: The action does not lead to what it led to") == true)
  }

  @Test("A ledger file gets no line that would be read as something else or not at all")
  func unreadableLines() throws {
    let (change, position) = (try JournalAction.Change.post(1), Journal.Position(stepCount: 1, seal: .none))
    var seal = Seal.none
    let line = try BooksText.line(change, leadingTo: position, after: &seal)
    try BooksText.check(line, says: change, leadingTo: position)
    for (wrong, reason) in [
      (line.replacing("-0.01", with: "-0.02"), "does not balance"),
      (line.replacing("EUR", with: "USD"), "It would say something else"),
      (line + line, "It would say something else"),
      (line.replacing("\t2\t", with: "\t3\t"), "\"\" is not an account"),
      ("", "There is not a field"),
    ] {
      let error = #expect(throws: LedgerError.self) { try BooksText.check(wrong, says: change, leadingTo: position) }
      #expect(error?.reason.contains(reason) == true, "\(wrong)")
    }
  }

  @Test("A ledger file of a newer version is refused and stays as it is")
  func newer() throws {
    _ = try folder.write("ledger-books 3\n", to: "ledger.books")
    let error = #expect(throws: PersistenceError.self) { try folder.ledger.post(.spending(1)) }
    #expect(error?.code == .newer)
    #expect(throws: PersistenceError.self) { try folder.ledger.books() }
    #expect(try folder.read("ledger.books") == Data("ledger-books 3\n".utf8))
  }

  @Test(
    "A damaged first line is not reported as a newer version",
    arguments: ["", "x", "2 ", "2x", "02", "-2", "1", "0", "2\u{1}", "99999999999999999999"])
  func damagedHead(version: String) throws {
    try folder.ledger.post(.spending(1))
    let lines = try folder.read("ledger.books").dropFirst(BooksText.head.utf8.count)
    let damaged = Data("ledger-books \(version)\n".utf8) + lines
    try folder.write(damaged, to: "ledger.books")
    for use in [{ _ = try folder.ledger.books() }, { try folder.ledger.post(.spending(1)) }] {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.code == .damaged)
      #expect(error?.description.contains("ledger.books:1:1: The first line is not \"ledger-books 2\".") == true)
    }
    #expect(try folder.read("ledger.books") == damaged)
  }

  @Test("A ledger file that ends in its first line is damaged", arguments: ["ledger-books ", "ledger-books 2"])
  func unfinishedHead(head: String) throws {
    _ = try folder.write(head, to: "ledger.books")
    let error = #expect(throws: PersistenceError.self) { try folder.ledger.books() }
    #expect(error?.code == .damaged)
  }

  @Test("A ledger file with CR LF line breaks is refused for that reason, and valid again with LF")
  func carriageReturns() throws {
    for cents in 1...2 as ClosedRange<Int64> { try folder.ledger.post(.spending(cents)) }
    let good = String(decoding: try folder.read("ledger.books"), as: UTF8.self)
    let other = try folder.write(good.replacing("\n", with: "\r\n"), to: "ledger.books")
    for use in [{ _ = try folder.ledger.books() }, { try folder.ledger.post(.spending(1)) }] {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.code == .damaged)
      #expect(error?.description.contains("Its line breaks have become CR LF: make them LF again.") == true)
    }
    let text = try String(contentsOfFile: other, encoding: .utf8)
    _ = try folder.write(text.replacing("\r\n", with: "\n"), to: "ledger.books")
    #expect(try folder.ledger.books().journal.postingCount == 2)
  }

  @Test("A ledger file of the first version is readable, and the first change replaces it without loss")
  func firstVersion() throws {
    let first = try Fixture.data("books-1.json")
    try folder.write(first, to: "ledger.books")
    let books = try folder.ledger.books()
    #expect(books.log.count == 9)
    #expect(books.journal.postingCount == 10)
    #expect(try folder.read("ledger.books") == first)
    #expect(throws: LedgerError.self) { try folder.ledger.post(.spending(1, reference: "r-1")) }
    #expect(try folder.read("ledger.books") == first)
    #expect(try folder.names == ["ledger.books"])
    // Logs that were exported before still fit, and redo is still possible.
    try books.audit(ActionLog(jsonLines: Fixture.data("log-1.jsonl"), checkpointEvery: .max))
    try folder.ledger.change { try $0.perform(.redo) }
    #expect(try folder.read("ledger.books.previous") == first)
    let now = try folder.ledger.books()
    #expect(now.log.changes.prefix(9) == books.log.changes)
    #expect(now.log.count == 10)
    #expect(now.journal.references.contains("r-2"))
  }

  @Test("A ledger file of the first version is refused if its audit fails")
  func firstVersionDiverged() throws {
    var books = Books()
    try books.perform(.post(1))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(books), as: UTF8.self)
    // The journal says something other than the log, which follows it.
    let log = try #require(text.range(of: "\"log\":"))
    let other = text[..<log.lowerBound].replacing("0.01 EUR", with: "0.02 EUR") + text[log.lowerBound...]
    #expect(other != text)
    let store = AsyncStore(state: try JSONDecoder().decode(Books.self, from: Data(other.utf8)), env: ())
    try store.persist(\.self, in: FileStorage(folder.url.appending(path: "ledger.books")), saving: .onDemand).save()
    store.deactivate()
    let error = #expect(throws: LedgerError.self) { try folder.ledger.post(.spending(2)) }
    #expect(error?.code == .diverged)
    #expect(throws: LedgerError.self) { try folder.ledger.books() }
  }

  @Test("A ledger file is reported as missing if only its previous version is there")
  func previous() throws {
    try folder.write(try Fixture.data("books-1.json"), to: "ledger.books")
    try folder.ledger.post(.spending(1))
    try FileManager.default.removeItem(atPath: folder["ledger.books"])
    for use in [{ _ = try folder.ledger.books() }, { try folder.ledger.post(.spending(1)) }] {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.code == .missing)
      #expect(error?.description.contains("ledger.books.previous") == true)
    }
  }
}
