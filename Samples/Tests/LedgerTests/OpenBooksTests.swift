import Synchronization
import Testing

@testable import Ledger

@Suite("Open books")
struct OpenBooksTests {
  struct Broken: Error {}

  /// Keeps positions in memory, or doesn't.
  final class Keeper: Sendable {
    private let content = Mutex((positions: [Journal.Position](), count: 0, isBroken: false))

    var positions: [Journal.Position] { content.withLock { $0.positions } }

    /// The number of times that something was kept.
    var count: Int { content.withLock { $0.count } }

    func setBroken(_ isBroken: Bool) { content.withLock { $0.isBroken = isBroken } }

    func keep(_ changes: [KeptChange]) throws {
      try content.withLock { content in
        if content.isBroken { throw Broken() }
        content.positions += changes.map(\.position)
        content.count += 1
      }
    }
  }

  let keeper = Keeper()
  let open: OpenBooks

  init() { open = OpenBooks(Books(), keep: keeper.keep) }

  @Test("Open books keep every change when it is made")
  func kept() throws {
    for cents in 1...3 {
      try open.perform(.post(Int64(cents)))
      #expect(keeper.positions.count == cents)
      #expect(keeper.positions.last == open.books.journal.position)
    }
  }

  @Test("Open books keep several changes at once, up to the first that is refused")
  func several() throws {
    let (count, refusal) = try open.perform([.post(1), .post(2), .redo, .post(3)])
    #expect(count == 2)
    #expect(refusal?.code == .nothingToUndoOrRedo)
    #expect(keeper.count == 1)
    #expect(keeper.positions.count == 2)
    #expect(keeper.positions.last == open.books.journal.position)
    keeper.setBroken(true)
    #expect(throws: Broken.self) { try open.perform([.post(4), .post(5)]) }
    #expect(keeper.positions.last == open.books.journal.position)
  }

  @Test("Open books stay as they were, with redo and references, if several changes can't be kept")
  func severalFail() throws {
    for start in [Journal.Position(), Journal.Position(stepCount: 7, seal: Seal.none)] {
      let open = OpenBooks(Books(from: start), keep: keeper.keep)
      keeper.setBroken(false)
      _ = try open.perform([.post(1, reference: "a"), .post(2, reference: "b"), .undo])
      let books = open.books
      keeper.setBroken(true)
      for changes in try [[.redo, .post(3)], [.undo, .post(3, reference: "c"), .post(4)], [.undo, .redo, .redo]]
        as [[JournalAction.Change]]
      {
        #expect(throws: Broken.self) { try open.perform(changes) }
        #expect(open.books.journal == books.journal)
        #expect(Array(open.books.log.changes) == Array(books.log.changes))
      }
      keeper.setBroken(false)
      #expect(try open.perform([.redo, .post(3, reference: "c"), .post(4, reference: "b")]).count == 2)
      #expect(open.books.journal.postings.map(\.description) == ["1 cents", "2 cents", "3 cents"])
      #expect(open.books.log.count == books.log.count + 2)
    }
  }

  @Test("Open books keep nothing of a change that is refused")
  func refused() throws {
    try open.perform(.post(1, reference: "r"))
    for change in [.redo, try .post(2, reference: "r")] as [JournalAction.Change] {
      #expect(throws: LedgerError.self) { try open.perform(change) }
    }
    #expect(keeper.positions.count == 1)
  }

  @Test("A change that is refused halfway leaves open books as they were")
  func half() throws {
    try open.perform(.post(1, reference: "r"))
    let books = open.books
    let half = try ["s", "r"].map { try Posting.spending(2, reference: $0) }
    let (count, refusal) = try open.perform([.undo, .redo, .post(postings: half)])
    #expect(count == 2)
    #expect(refusal?.code == .duplicate)
    #expect(open.books.journal == books.journal)
    #expect(keeper.positions.last == books.journal.position)
    try open.perform(.post(3, reference: "s"))
    try open.books.audit(open.books.log)
  }

  @Test("Open books stay as they were if a change can't be kept, and take the next one")
  func failure() throws {
    try open.perform(.post(1))
    let books = open.books
    keeper.setBroken(true)
    #expect(throws: Broken.self) { try open.perform(.post(2)) }
    #expect(open.books.journal == books.journal)
    #expect(open.books.log.count == books.log.count)
    keeper.setBroken(false)
    try open.perform(.post(3))
    #expect(open.books.journal.postings.map(\.description) == ["1 cents", "3 cents"])
    try open.books.audit(open.books.log)
  }

  @Test("Books that start from a position take postings as the complete books would")
  func end() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var all = try Books(seed: seed, changes: 40)
      var end = Books(from: all.journal.position)
      for cents in 1...3 as ClosedRange<Int64> {
        try all.perform(.post(cents))
        try end.perform(.post(cents))
        #expect(end.journal.position == all.journal.position, "seed \(seed)")
        #expect(end.journal.seal == all.journal.seal, "seed \(seed)")
      }
    }
  }
}
