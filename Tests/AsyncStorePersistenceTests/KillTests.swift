import AsyncStorePersistence
import Foundation
import SavedCounter
import Testing

@Suite("A process that is killed while it saves")
struct KillTests {
  /// A thousand; `ASYNCSTORE_STRESS` scales it.
  private static let rounds = max(
    1, Int(1_000 * (ProcessInfo.processInfo.environment["ASYNCSTORE_STRESS"].flatMap(Double.init) ?? 1)))

  @Test("loses no state that was acknowledged, and leaves a file that loads, a thousand times")
  func kills() throws {
    let directory = URL.temporaryDirectory.appending(path: "AsyncStore-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "state.json")
    var generator = SplitMix64(seed: 2_026)
    var last = 0
    var lengths: [Duration] = []
    for round in 1...Self.rounds {
      let process = Process()
      process.executableURL = try savingProcess()
      process.arguments = [file.path(percentEncoded: false)]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      // The first save of a process shows how long one takes here; the next ones are where it is killed.
      var acknowledged = output.fileHandleForReading.availableData
      let begin = ContinuousClock.now
      acknowledged += output.fileHandleForReading.availableData
      lengths.append(min(.milliseconds(20), begin.duration(to: .now)))
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
      try store.persist(\.self, in: FileStorage(file)).stop()
      #expect(store.number == number || store.number == number + 1, "round \(round)")
      #expect(store.isWhole, "round \(round)")
      #expect(number > last, "round \(round): it did not go on from where the one before it ended")
      last = store.number
    }
    #expect(last > 2 * Self.rounds)
  }

  private func savingProcess() throws -> URL {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // On Apple's platforms the tests are in a bundle.
    while directory.path != "/" {
      let file = directory.appending(path: "SavingProcess")
      if FileManager.default.isExecutableFile(atPath: file.path(percentEncoded: false)) { return file }
      directory.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
