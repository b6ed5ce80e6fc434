import AsyncStorePersistence
import Foundation
import SavedCounter
import Testing

@Suite("A process that is killed while it saves")
struct KillTests {
  private static let rounds = Nightly.count(1_000, otherwise: 100)

  @Test("A process that is killed while it saves loses no acknowledged state, and leaves a file that loads")
  func kills() throws {
    let directory = URL.temporaryDirectory.appending(path: "AsyncStore-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "state.json")
    var generator = SplitMix64(seed: 2_026)
    var last = 0
    var lengths: [Duration] = []
    for round in 1...Self.rounds {
      let process = Process()
      process.executableURL = try SavingProgram.url()
      process.arguments = [file.path(percentEncoded: false)]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      // It is killed after the second or third save that it acknowledged, at any moment of the next two:
      // the saves after the first show how long one takes here.
      let saves = Int.random(in: 2...3, using: &generator)
      var acknowledged = output.fileHandleForReading.availableData
      let begin = ContinuousClock.now
      while acknowledged.count(where: { $0 == UInt8(ascii: "\n") }) < saves {
        let more = output.fileHandleForReading.availableData
        try #require(!more.isEmpty, "round \(round): it ended by itself")
        acknowledged += more
      }
      // A disk that stands still once must not hold up all rounds that follow.
      lengths.append(min(.seconds(2), begin.duration(to: .now) / (saves - 1)))
      let span = lengths.suffix(20).reduce(.zero, +) / min(lengths.count, 20)
      let end = ContinuousClock.now.advanced(by: span * Double.random(in: 0..<2, using: &generator))
      while ContinuousClock.now < end {}
      kill(process.processIdentifier, SIGKILL)
      acknowledged += output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal, "round \(round): it ended by itself")

      let lines = String(decoding: acknowledged, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      let number = try #require(lines.dropLast().last.flatMap { Int($0) })
      let store = AsyncStore(state: SavedCounter(), env: ())
      // The lock of the killed process is free, and its half-written files are removed.
      try store.persist(\.self, in: FileStorage(file)).stop()
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
      #expect(Set(names).isSubset(of: ["state.json", "state.json.previous"]), "round \(round): \(names)")
      #expect(store.number == number || store.number == number + 1, "round \(round)")
      #expect(store.isWhole, "round \(round)")
      #expect(number > last, "round \(round): it did not go on from where the one before it ended")
      last = store.number
    }
    #expect(last > 2 * Self.rounds)
  }
}
