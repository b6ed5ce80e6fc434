import AsyncStore
import AsyncStoreTesting
import Foundation
import Testing

/// The exit tests' bodies run in processes of their own.
@Suite("The record of a schedule", .serialized)
struct RecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("is printed when the process traps under it, and replays the trap")
  func trap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1_000), function: "trap()") { _ in
        if await isSecondFirst() { fatalError("the second came first") }
      }
    }
    let text = errorText(of: result)
    #expect(text.contains("the process has stopped under a schedule"))
    let line = try #require(text.split(separator: "\n").first { $0.contains("ASYNCSTORE_SCHEDULE='") })
    #expect(line.hasSuffix("--filter trap"))
    let word = try #require(line.split(separator: "'").dropFirst().first)
    #expect(word.contains("@RecordingTests.swift:"))
    await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(String(word))) { _ in
        if await isSecondFirst() { throw Failure("the second came first") }
      }
    }
  }

  @Test("outlives a process that is killed, and is printed by the next one that explores")
  func kill() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1_000), function: "kill()") { _ in
        if await isSecondFirst() { Foundation.kill(getpid(), SIGKILL) }
      }
    }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1)) { _ in }
    }
    #expect(errorText(of: result).contains("an earlier process ended in the middle of a schedule"))
    #expect(errorText(of: result).contains("--filter kill"))
  }

  @Test("leaves nothing where all went well")
  func nothingLeft() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(10)) { _ in }
    }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(10)) { _ in }
    }
    #expect(!errorText(of: result).contains("schedule"))
  }
}

/// Runs two tasks, and tells if the second one ran first.
private func isSecondFirst() async -> Bool {
  let order = Note<[String]>()
  await withTaskGroup { group in
    for name in ["a", "b"] { group.addTask { order.add(name) } }
  }
  return order.value.first == "b"
}
