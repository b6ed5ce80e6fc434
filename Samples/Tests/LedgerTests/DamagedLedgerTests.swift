import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("A ledger's file, where something went wrong,")
struct DamagedLedgerTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test("loses nothing that was kept, wherever a crash has cut off the last line")
  func torn() throws {
    try folder.change(seed: 1)
    let whole = try folder.read("ledger.books")
    let books = try folder.ledger.books()
    try folder.ledger.post(.spending(5))
    let longer = try folder.read("ledger.books")
    // A line of which only the line break is missing is a whole line; see the next test.
    for length in whole.count + 1..<longer.count - 1 {
      try folder.write(longer.prefix(length), to: "ledger.books")
      #expect(try folder.ledger.books().journal == books.journal)
      #expect(try folder.read("ledger.books").count == length)
      try folder.ledger.post(.spending(6))
      #expect(try folder.ledger.books().journal.postings.last?.description == "6 cents")
      #expect(try folder.read("ledger.books").starts(with: whole))
      #expect(try folder.read("ledger.books.torn") == longer[whole.count..<length])
    }
  }

  @Test("has its last line, and the line break behind it again, if that is all that is missing")
  func missingLineBreak() throws {
    try folder.change(seed: 1)
    try folder.ledger.post(.spending(5))
    let good = try folder.read("ledger.books")
    try folder.write(good.dropLast(), to: "ledger.books")
    #expect(try folder.ledger.books().journal.postings.last?.description == "5 cents")
    #expect(try folder.read("ledger.books") == good.dropLast())
    try folder.ledger.post(.spending(6))
    #expect(try folder.read("ledger.books").starts(with: good))
    #expect(try folder.ledger.books().journal.postings.suffix(2).map(\.description) == ["5 cents", "6 cents"])
    #expect(try folder.names == ["ledger.books"])
  }

  @Test("is refused by readers and writers alike if a bit of it has changed, and stays as it is")
  func flipped() throws {
    try folder.change(seed: 2, changes: 6)
    let good = try folder.read("ledger.books")
    for place in good.indices {
      var bad = good
      bad[place] ^= 1 << UInt8(place % 8)
      try folder.write(bad, to: "ledger.books")
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.books() }
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.post(.spending(1)) }
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.change { _ in } }
      #expect(try folder.read("ledger.books") == bad)
    }
  }

  @Test("has nothing of a change that could not be made safe, or says that it may have")
  func unsafe() throws {
    try folder.ledger.post(.spending(1))
    let good = try folder.read("ledger.books")
    let storage = FileStorage(folder.url.appending(path: "ledger.books"))
    let lines = try BooksLines([UInt8](good), file: "ledger.books")
    let change = KeptChange(change: try .post(2), position: Journal.Position())
    for faults in [[.write], [.synchronize], [.synchronize, .truncate]] as [[FaultyFile.Operation]] {
      let file = BooksFile(storage, path: folder["ledger.books"]) { try FaultyFile(SystemFile($0), faults) }
      try file.goOn(after: lines, settingAside: Data())
      let error = #expect(throws: PersistenceError.self) { try file.append([change]) }
      #expect(error?.code == .notWritable)
      let isLeft = try folder.read("ledger.books") != good
      #expect(isLeft == faults.contains(.truncate))
      #expect(error?.description.contains("can't be taken back") == isLeft)
      // Nothing follows what may be there.
      if isLeft { #expect(throws: PersistenceError.self) { try file.append([change]) } }
    }
  }
}
