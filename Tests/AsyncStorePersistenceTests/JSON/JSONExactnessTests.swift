import AsyncStorePersistence
import Foundation
import Testing

@Suite("A difference of JSON documents")
struct JSONExactnessTests {
  struct Hashes: Codable, Equatable, Sendable {
    var n = 0
    var hash: UInt64 = .max
    var amount = Decimal(string: "12345678901234567890.123456789")
    var tags: Set<String> = []
    var counts: [Double: Int] = [:]
  }

  @Test("A JSON patch leaves the numbers that it does not change as they are, to the last digit")
  func untouched() throws {
    let patch = JSONPatch([.replace(JSONPointer(["n"]), 7)])
    let after = try patch.applied(to: Hashes())
    #expect(after == Hashes(n: 7))
  }

  @Test("A state diff notices integers that differ in the last digit")
  func integers() throws {
    let diff = try StateDiff(from: Hashes(), to: Hashes(hash: .max - 1))
    #expect(!diff.isEmpty)
    #expect(try diff.patch.applied(to: Hashes()) == Hashes(hash: .max - 1))
  }

  @Test("A JSON patch tells canonically equal strings and keys with other code units apart")
  func canonicalEquivalence() throws {
    let (composed, decomposed): (JSONValue, JSONValue) = ("\u{e9}", "e\u{301}")
    #expect(composed != decomposed)
    let patch = JSONPatch(from: composed, to: decomposed)
    #expect(patch.operations.count == 1)
    let document = try JSONValue(data: Data("{\"\u{e9}\":1}".utf8))
    let other = try JSONValue(data: Data("{\"e\u{301}\":1}".utf8))
    #expect(document != other)
    #expect(JSONPatch(from: document, to: other).operations.count == 2)
  }

  @Test("A state diff of equal sets and equal dictionaries is empty")
  func sets() throws {
    let names = (0..<100).map { "\($0)" }
    var (one, other) = (Hashes(), Hashes())
    for name in names { one.tags.insert(name) }
    for name in names.reversed() { other.tags.insert(name) }
    other.tags.reserveCapacity(10_000)
    for number in 0..<100 { one.counts[Double(number)] = number }
    other.counts.reserveCapacity(10_000)
    for number in (0..<100).reversed() { other.counts[Double(number)] = number }
    #expect(one == other)
    #expect(try StateDiff(from: one, to: other).isEmpty)
  }

  @Test("A state diff is empty after saving and restoring")
  func saved() throws {
    let storage = MemoryStorage()
    let amount = Decimal(string: "0.12345678901234567890123456789012345678")
    let all = Hashes(amount: amount, tags: ["a"], counts: [0.1: .min])
    try AsyncStore(state: all, env: ()).persist(\.self, in: storage).save()
    let restored = AsyncStore(state: Hashes(), env: ())
    try restored.persist(\.self, in: storage)
    #expect(restored.state == all)
    #expect(try StateDiff(from: all, to: restored.state).isEmpty)
  }
}
