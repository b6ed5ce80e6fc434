import AsyncStoreActions
import Foundation
import Testing

@testable import Ledger

@Suite("The books")
struct BooksTests {
  /// The journal's rules, on lists of lists.
  struct Reference {
    var done: [[Posting]] = []
    var undone: [[Posting]] = []

    /// All steps with an empty one where the state is, which tells states apart; no real step is empty.
    var steps: [[Posting]] { done + [[]] + undone }

    /// Makes the change, and returns whether it was possible.
    mutating func perform(_ change: JournalAction.Change) -> Bool {
      switch change {
      case .post(let postings):
        let references = (done.joined() + postings).compactMap(\.reference)
        guard Set(references).count == references.count else { return false }
        done.append(postings)
        undone = []
      case .undo:
        guard let last = done.popLast() else { return false }
        undone.append(last)
      case .redo:
        guard let last = undone.popLast() else { return false }
        done.append(last)
      }
      return true
    }
  }

  @Test("The books behave like lists of postings and log exactly what was done", arguments: 1...100)
  func reference(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var books = Books()
    var reference = Reference()
    var seals: Set<Seal> = [books.journal.seal]
    var states: Set<[[Posting]]> = [reference.steps]
    for _ in 0..<100 {
      let change = try JournalAction.Change.random(using: &generator)
      let (journal, count) = (books.journal, books.log.count)
      let isDone = (try? books.perform(change)) != nil
      #expect(isDone == reference.perform(change), "seed \(seed)")
      #expect(books.log.count == count + (isDone ? 1 : 0), "seed \(seed)")
      if !isDone { #expect(books.journal == journal, "seed \(seed)") }
      #expect(books.journal.postings == Array(reference.done.joined()), "seed \(seed)")
      seals.insert(books.journal.seal)
      states.insert(reference.steps)
    }
    // Different journals have different seals, and equal ones the same.
    #expect(seals.count == states.count, "seed \(seed)")
  }

  @Test("The replay of a log leads to every state of the books", arguments: 1...50)
  func replay(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var books = Books()
    var states = [books.journal]
    for _ in 0..<80 where (try? books.perform(.random(using: &generator))) != nil { states.append(books.journal) }
    var replayed: [Journal] = []
    try books.log.replay { _, journal in replayed.append(journal) }
    #expect(replayed == states, "seed \(seed)")
    #expect(books.log.state(at: states.count / 2) == states[states.count / 2], "seed \(seed)")
    try books.audit(books.log)
    try books.audit(ActionLog(jsonLines: books.log.jsonLines(), checkpointEvery: .max))
  }

  @Test("Undo returns the books to every earlier state, and redo to every later one", arguments: 1...50)
  func undoAndRedo(seed: UInt64) throws {
    var books = try Books(seed: seed, changes: 40)
    var balances = [books.journal.postings]
    while (try? books.perform(.undo)) != nil { balances.append(books.journal.postings) }
    #expect(books.journal.postings.isEmpty)
    // There may be steps to make again that were taken back before the last undo of all began.
    for balance in balances.dropLast().reversed() {
      try books.perform(.redo)
      #expect(books.journal.postings == balance, "seed \(seed)")
    }
    try books.audit(books.log)
  }

  @Test("An audit names the first action of a log that leads to a different state", arguments: 1...50)
  func tampered(seed: UInt64) throws {
    let books = try Books(seed: seed, changes: 30)
    for index in books.log.indices {
      guard case .action(let action) = books.log[index] else { continue }
      let other = JournalAction(change: try action.change == .undo ? .redo : .post(10_001), base: action.base)
      let log = books.log.replacing(index, by: .action(other))
      let error = #expect(throws: LedgerError.self) { try books.audit(log) }
      #expect(error?.code == .diverged)
      #expect(error?.reason.hasPrefix("Action \(index + 1) (\(other.change)) does not lead") == true, "seed \(seed)")
    }
  }

  @Test("An audit refuses a log that ends early, begins late or has a change in it that is no action")
  func incomplete() throws {
    var books = Books()
    for cents in 1...3 { try books.perform(.post(Int64(cents))) }
    func refusal(_ log: ActionLog<Journal>) -> String? {
      #expect(throws: LedgerError.self) { try books.audit(log) }?.reason
    }
    let log = books.log
    #expect(refusal(log.prefix(2)) == "Action 2 (post \"2 cents\") does not lead to what it led to when it was made.")
    #expect(refusal(log.prefix(0)) == "The log does not begin with an empty journal.")
    let late = ActionLog(initial: try #require(log.state(at: 1)), checkpointEvery: .max)
    #expect(refusal(late) == "The log does not begin with an empty journal.")
    let set = log.replacing(1, by: .state(try #require(log.state(at: 2))))
    #expect(
      refusal(set) == "Action 2 (a change that is no action) does not lead to what it led to when it was made.")
  }
}

extension ActionLog<Journal> {
  fileprivate func prefix(_ count: Int) -> Self {
    changes.prefix(count).reduce(into: ActionLog(initial: initial, checkpointEvery: .max)) { log, change in
      log.append(change, leadingTo: initial)
    }
  }

  fileprivate func replacing(_ index: Int, by change: Change) -> Self {
    indices.reduce(into: ActionLog(initial: initial, checkpointEvery: .max)) { log, number in
      log.append(number == index ? change : self[number], leadingTo: initial)
    }
  }
}
