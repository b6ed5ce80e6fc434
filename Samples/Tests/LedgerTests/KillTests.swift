import Foundation
import Testing

@testable import Ledger

@Suite("The program, killed")
struct KillTests {
  /// The number of ledgers that are fed, and the most acknowledgements after which a feed is killed.
  static let (ledgers, most) = TestSize.isNightly ? (10, 4_000) : (3, 1_000)
  static let rounds = 5

  @Test("has every acknowledged posting when it was killed in the middle of many")
  func killed() throws {
    var generator = SplitMix64(seed: 2_026)
    var places: Set<Int> = []
    for number in 1...Self.ledgers {
      let folder = try Folder()
      let ledger = try Program(in: folder)
      var kept = 0
      for round in 1...Self.rounds {
        let comment: Comment = "ledger \(number), round \(round)"
        let wanted = Int.random(in: 1...Self.most, using: &generator)
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
    #expect(places.count > Self.ledgers * Self.rounds / 2)
  }

  /// Feeds the program postings without an end, and kills it.
  ///
  /// - Parameter wanted: how many acknowledgements are awaited before.
  /// - Returns: how many there were in all.
  private static func kill(
    _ feed: Program.Run, after wanted: Int, _ comment: Comment, using generator: inout SplitMix64
  ) throws -> Int {
    var (written, acknowledged) = (0, 0)
    while acknowledged < wanted {
      // Keeps enough for several commits waiting, and never more than a pipe takes.
      let more = acknowledged + 400 - written
      let lines = (0..<more).map { ProgramTests.line(written + $0 + 1) }.joined()
      try feed.input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
      written += more
      let output = feed.output.fileHandleForReading.availableData
      try #require(!output.isEmpty, "\(comment): it ended by itself")
      acknowledged += lineCount(output)
    }
    // A moment of any length, to meet it anywhere between two acknowledgements.
    let end = ContinuousClock.now.advanced(by: .microseconds(Int.random(in: 0..<20_000, using: &generator)))
    while ContinuousClock.now < end {}
    Foundation.kill(feed.process.processIdentifier, SIGKILL)
    acknowledged += lineCount(feed.output.fileHandleForReading.readDataToEndOfFile())
    feed.process.waitUntilExit()
    #expect(feed.process.terminationReason == .uncaughtSignal, "\(comment): it ended by itself")
    return acknowledged
  }

  private static func lineCount(_ output: Data) -> Int { output.count { $0 == UInt8(ascii: "\n") } }
}
