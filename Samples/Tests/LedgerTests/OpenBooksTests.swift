import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("Open books")
struct OpenBooksTests {
  let storage = MemoryStorage()

  @Test("keep every change when it is made")
  func kept() throws {
    let open = try OpenBooks(in: storage)
    for cents in 1...3 {
      try open.perform(.post(Int64(cents)))
      #expect(storage.writeCount == cents)
      // No other save is to come, which might keep what was reported as not kept.
      #expect(open.store.inFlight.isEmpty)
      let others = try OpenBooks(in: storage).books
      #expect(others.journal == open.books.journal)
      try others.audit(others.log)
    }
  }

  @Test("write nothing for a change that is refused")
  func refused() throws {
    let open = try OpenBooks(in: storage)
    try open.perform(.post(1, reference: "r"))
    let data = storage.data
    for change in [.redo, try .post(2, reference: "r")] as [JournalAction.Change] {
      #expect(throws: LedgerError.self) { try open.perform(change) }
    }
    #expect(storage.data == data)
    #expect(storage.writeCount == 1)
  }

  @Test("are as they were, in memory too, if a change can't be kept, and take the next one that can")
  func failure() throws {
    let open = try OpenBooks(in: storage)
    try open.perform(.post(1))
    let (data, books) = (storage.data, open.books)
    storage.setBroken(true)
    let error = #expect(throws: PersistenceError.self) { try open.perform(.post(2)) }
    #expect(error?.code == .notWritable)
    #expect(open.books.journal == books.journal)
    #expect(open.books.log.count == books.log.count)
    #expect(storage.data == data)
    storage.setBroken(false)
    try open.perform(.post(3))
    let others = try OpenBooks(in: storage).books
    #expect(others.journal.postings.map(\.description) == ["1 cents", "3 cents"])
    try others.audit(others.log)
  }

  @Test("write nothing once they are closed, not even when they go")
  func closed() throws {
    var open: OpenBooks? = try OpenBooks(in: storage)
    try open?.perform(.post(1))
    let data = storage.data
    storage.setBroken(true)
    #expect(throws: PersistenceError.self) { try open?.perform(.post(2)) }
    storage.setBroken(false)
    open?.close()
    open = nil
    #expect(storage.data == data)
    #expect(storage.writeCount == 1)
  }

  @Test("are not opened if what was kept is damaged or newer, and it stays as it is")
  func damaged() throws {
    try OpenBooks(in: storage).perform(.post(1))
    let data = try #require(storage.data)
    let text = String(decoding: data, as: UTF8.self)
    let future = MemoryStorage()
    try AsyncStore(state: 1, env: ()).persist(\.self, in: future, version: 2, saving: .onDemand).save()
    let newer = String(decoding: try #require(future.data), as: UTF8.self)
    let cases: [(String, PersistenceError.Code)] = [
      (text.replacing("1 cents", with: "9 cents"), .damaged), (String(text.dropLast()), .damaged), ("", .damaged),
      ("hello", .damaged), (newer, .newer),
    ]
    for (text, code) in cases {
      let storage = MemoryStorage(Data(text.utf8))
      let error = #expect(throws: PersistenceError.self) { try OpenBooks(in: storage) }
      #expect(error?.code == code)
      #expect(storage.data == Data(text.utf8))
    }
  }
}
