import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("The ledger's file")
struct LedgerFileTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test("is made by the first change, and is not there for who only reads")
  func missing() throws {
    let error = #expect(throws: LedgerError.self) { try folder.ledger.books() }
    #expect(error?.code == .inaccessible)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try folder.ledger.change { try $0.perform(.post(1)) }
    #expect(try folder.ledger.books().journal.postingCount == 1)
  }

  @Test("is changed by one at a time, and read by all")
  func locked() throws {
    try folder.ledger.change { open in
      try open.perform(.post(1))
      let error = #expect(throws: LedgerError.self) { try folder.ledger.change { _ in } }
      #expect(error?.code == .locked)
      #expect(try folder.ledger.books().journal.postingCount == 1)
    }
    try folder.ledger.change { try $0.perform(.post(2)) }
    #expect(try folder.ledger.books().journal.postingCount == 2)
  }

  @Test("is free again after a change that was refused")
  func freed() throws {
    for _ in 1...2 {
      let error = #expect(throws: LedgerError.self) { try folder.ledger.change { try $0.perform(.undo) } }
      #expect(error?.code == .noStep)
    }
  }

  @Test("can't be in a folder that is not there")
  func noFolder() {
    let error = #expect(throws: LedgerError.self) {
      try LedgerFile(path: folder["none/ledger.json"]).change { _ in }
    }
    #expect(error?.code == .inaccessible)
  }
}
