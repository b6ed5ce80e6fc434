import Foundation
import Testing

@testable import Ledger

@Suite("A killed program")
struct KillTests {
  /// The number of ledgers that are fed, and the most acknowledgements after which a feed is killed.
  static let (ledgers, most) = TestSize.isNightly ? (10, 4_000) : (3, 1_000)
  static let rounds = 5

  @Test("A program that is killed in the middle of many postings has kept every acknowledged one")
  func killed() throws {
    var generator = SplitMix64(seed: 2_026)
    // One kill in each part of the whole range, so that no two of them are alike by chance.
    let kills = Self.ledgers * Self.rounds
    var parts = (0..<kills).shuffled(using: &generator)
    var places: Set<Int> = []
    for number in 1...Self.ledgers {
      let folder = try Folder()
      let ledger = try Program(in: folder)
      var kept = 0
      for round in 1...Self.rounds {
        let comment: Comment = "ledger \(number), round \(round)"
        let part = parts.removeLast() * Self.most / kills
        let wanted = Int.random(in: part + 1...part + Self.most / kills, using: &generator)
        let acknowledged = try Self.kill(ledger.start("feed"), after: wanted, comment, using: &generator)
        places.insert(acknowledged)

        let books = try folder.ledger.books()
        let numbers = books.journal.postings.dropFirst(kept).map(\.description)
        // The postings of one commit may be there unacknowledged.
        #expect((acknowledged...acknowledged + 64).contains(numbers.count), comment)
        #expect(numbers == (0..<numbers.count).map { "\($0 + 1)" }, comment)
        try books.audit(books.log)
        kept = books.journal.postingCount
      }
      #expect(try ledger("audit").code == 0)
    }
    #expect(places.count > kills / 2)
  }

  /// Feeds the program postings without an end, and kills it.
  ///
  /// - Parameter wanted: how many acknowledgements are awaited before.
  /// - Returns: how many there were in all.
  private static func kill(
    _ feed: Program.Run, after wanted: Int, _ comment: Comment, using generator: inout SplitMix64
  ) throws -> Int {
    var (written, acknowledged, reads) = (0, 0, 0)
    // Keeps enough for several commits waiting, and never more than a pipe takes.
    func write() throws {
      let more = acknowledged + 400 - written
      let lines = (0..<more).map { ProgramTests.line(written + $0 + 1) }.joined()
      try feed.input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
      written += more
    }
    let start = ContinuousClock.now
    while acknowledged < wanted {
      try write()
      let output = feed.output.fileHandleForReading.availableData
      try #require(!output.isEmpty, "\(comment): it ended by itself")
      acknowledged += lineCount(output)
      reads += 1
    }
    try write()
    // A part of the time of two reads, to meet it anywhere between two acknowledgements, while it has work.
    let read = ContinuousClock.now - start
    let end = ContinuousClock.now + read / reads * Double.random(in: 0..<2, using: &generator)
    while ContinuousClock.now < end {}
    Foundation.kill(feed.process.processIdentifier, SIGKILL)
    acknowledged += lineCount(feed.output.fileHandleForReading.readDataToEndOfFile())
    feed.process.waitUntilExit()
    #expect(feed.process.terminationReason == .uncaughtSignal, "\(comment): it ended by itself")
    return acknowledged
  }

  private static func lineCount(_ output: Data) -> Int { output.count { $0 == UInt8(ascii: "\n") } }
}
