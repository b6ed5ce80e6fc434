import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// The exit tests' bodies run in processes of their own.
@Suite("The record of a schedule", .serialized)
struct RecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("The record of a schedule is printed when the process traps under it, and replays the trap")
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
    #expect(line.hasSuffix(#"--filter '[./]`?trap`?(\(|$)'"#))
    let word = try #require(line.split(separator: "'").dropFirst().first)
    #expect(word.contains("@RecordingTests.swift:"))
    await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(String(word))) { _ in
        if await isSecondFirst() { throw Failure("the second came first") }
      }
    }
  }

  @Test("The record of a schedule outlives a process that is killed, and the next one that explores prints it")
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
    #expect(errorText(of: result).contains(#"--filter '[./]`?kill`?(\(|$)'"#))
  }

  @Test("The record of an earlier process with the same number is printed before this one records")
  func sameNumber() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      let file = path + "/asyncstore-\(getpid()).schedule"
      try "EarlierTests.swift:7\n'earlier'\n5:1/2".write(toFile: file, atomically: false, encoding: .utf8)
      try await explore(.seeds(1)) { _ in }
    }
    let command = try replayCommand(in: errorText(of: result))
    #expect(command == "ASYNCSTORE_SCHEDULE='5:1/2@EarlierTests.swift:7' swift test --filter 'earlier'")
  }

  @Test(
    "The record of a schedule is in memory if there can be no file, is printed all the same, and says so once",
    arguments: ["/no/such/folder", "/tmp/" + String(repeating: "long", count: 150)])
  func noFile(folder: String) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [folder] in
      TemporaryFolder.use(folder)
      try await explore(.seeds(1)) { _ in }
      try await explore(.seeds(1_000), function: "noFile()") { _ in
        if await isSecondFirst() { fatalError("the second came first") }
      }
    }
    let text = errorText(of: result)
    #expect(text.split(separator: "There is no file for the schedule of a process that is killed: ").count == 2)
    let command = try replayCommand(in: text)
    #expect(command.contains("1/2"))
    #expect(command.hasSuffix(#"--filter '[./]`?noFile`?(\(|$)'"#))
    #expect(!text.contains("It is also in"))
  }

  @Test("The record of a schedule is in memory if the process's files can't be as long")
  func fileLimit() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      limitFiles(to: 1_000_000)
      try await explore(.seeds(1)) { _ in fatalError("at the end") }
    }
    #expect(errorText(of: result).contains("There is no room"))
    let command = try replayCommand(in: errorText(of: result))
    #expect(command.contains("RecordingTests.swift:"))
    #expect(try folder.names.isEmpty)
  }

  @Test("The record of a schedule continues in memory if its file can't grow, and is whole")
  func fullDisk() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1)) { _ in
        for index in 0..<5_500 {
          if index == 1_000 { limitFiles(to: 1_000_000) }
          Recording.add(Schedule.Choice(kind: .fault, index: 100_000 + index, count: 1_000_000))
        }
        fatalError("at the end")
      }
    }
    let text = errorText(of: result)
    #expect(text.split(separator: "There is no room").count == 2)
    let word = try await shellArguments(of: try replayCommand(in: text))[0]
    let schedule = try ScheduleReference(reading: word).schedule
    #expect(schedule.choices.map(\.index) == (100_000..<105_500).map { $0 })
    #expect(try folder.names.isEmpty)
  }

  @Test("A pipe is not read as the record of an earlier process, because a reader would wait")
  func pipe() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      #expect(mkfifo(path + "/asyncstore-4000000.schedule", 0o600) == 0)
      try await explore(.seeds(1)) { _ in }
    }
    #expect(!errorText(of: result).contains("schedule"))
  }

  @Test("The record of a schedule leaves nothing behind if all went well")
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

/// Limits the length of the files that this process writes; the limit for more privileged processes stays as it is.
private func limitFiles(to length: rlim_t) {
  var limit = rlimit()
  getrlimit(fileLimit, &limit)
  limit.rlim_cur = length
  setrlimit(fileLimit, &limit)
}

#if canImport(Glibc)
  private let fileLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let fileLimit = RLIMIT_FSIZE
#endif
