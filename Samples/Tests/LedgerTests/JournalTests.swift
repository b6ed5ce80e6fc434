import AsyncStoreActions
import Foundation
import Testing

@testable import Ledger

@Suite("The journal")
struct JournalTests {
  /// The result that a change should have: the cents that were posted and are in force, or why it is refused.
  enum Outcome: Equatable {
    case cents([Int])
    case refused(LedgerError.Code)
  }

  static let courses: [(String, [Outcome])] = [
    ("1 2 3", [.cents([1]), .cents([1, 2]), .cents([1, 2, 3])]),
    ("1 2 undo undo undo", [.cents([1]), .cents([1, 2]), .cents([1]), .cents([]), .refused(.nothingToUndoOrRedo)]),
    ("1 undo redo redo", [.cents([1]), .cents([]), .cents([1]), .refused(.nothingToUndoOrRedo)]),
    ("1 2 undo 3 redo", [.cents([1]), .cents([1, 2]), .cents([1]), .cents([1, 3]), .refused(.nothingToUndoOrRedo)]),
    ("1 2 undo undo redo", [.cents([1]), .cents([1, 2]), .cents([1]), .cents([]), .cents([1])]),
    ("1+2 3 undo undo", [.cents([1, 2]), .cents([1, 2, 3]), .cents([1, 2]), .cents([])]),
    ("5r 6r undo 6r", [.cents([5]), .refused(.duplicate), .cents([]), .cents([6])]),
    ("5r undo redo 6r", [.cents([5]), .cents([]), .cents([5]), .refused(.duplicate)]),
    ("1 5r+6r 2", [.cents([1]), .refused(.duplicate), .cents([1, 2])]),
    ("undo redo", [.refused(.nothingToUndoOrRedo), .refused(.nothingToUndoOrRedo)]),
  ]

  /// `undo`, `redo`, or postings of so many cents; an `r` gives one a reference.
  static func change(_ word: Substring) throws -> JournalAction.Change {
    switch word {
    case "undo": .undo
    case "redo": .redo
    default:
      .post(
        postings: try word.split(separator: "+").map { posting in
          let cents = try #require(Int64(posting.filter(\.isNumber)))
          return try .spending(cents, reference: posting.hasSuffix("r") ? "r" : nil)
        })
    }
  }

  @Test("The journal posts, undoes and redoes step by step", arguments: courses)
  func course(words: String, outcomes: [Outcome]) throws {
    var journal = Journal()
    var seen: [Outcome] = []
    for word in words.split(separator: " ") {
      let before = journal
      let action = JournalAction(change: try Self.change(word), base: journal.seal)
      do throws(LedgerError) {
        try journal.apply(action)
        seen.append(.cents(journal.postings.map { Int($0.entries[0].amount.units) }))
        #expect(journal.seal != before.seal)
      } catch {
        seen.append(.refused(error.code))
        #expect(journal == before)
      }
    }
    #expect(seen == outcomes)
    #expect(journal.postingCount == journal.postings.count)
    #expect(journal.references == Set(journal.postings.compactMap { $0.reference.map { Spelling($0) } }))
  }

  @Test("The journal refuses an action that was made on another journal")
  func outdated() throws {
    var journal = Journal()
    let action = JournalAction(change: try .post(1), base: journal.seal)
    try journal.apply(action)
    let before = journal
    let error = #expect(throws: LedgerError.self) { try journal.apply(action) }
    #expect(error?.code == .outdated)
    #expect(journal == before)
  }

  @Test("A store applies actions to its journal and ignores one that does not fit")
  func model() throws {
    let store = StoreOf<Journal>(state: Journal(), env: ())
    let action = JournalAction(change: try .post(1), base: store.state.seal)
    store.send(action)
    store.send(action)
    #expect(store.state.postingCount == 1)
  }

  @Test("The journal is the same after encoding and decoding", arguments: 1...20)
  func coding(seed: UInt64) throws {
    let journal = try Books(seed: seed, changes: 60).journal
    let data = try JSONEncoder().encode(journal)
    #expect(try JSONDecoder().decode(Journal.self, from: data) == journal)
  }

  @Test("A journal with more or fewer steps in force than it can have is not decoded", arguments: ["-1", "1"])
  func wrongCount(count: String) {
    let data = Data(#"{"steps":[],"stepCount":\#(count)}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Journal.self, from: data) }
  }
}
