import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// The exit tests' bodies run in processes of their own.
@Suite("The record of a long schedule", .serialized)
struct LongRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("The record of a long schedule is printed as the schedule prints itself")
  func runLengths() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1, by: .random), function: "runs()") { simulation in
        await chooseRuns(simulation)
        printLine("As it is: \(simulation.schedule)@")
        fatalError("at the end")
      }
    }
    let text = errorText(of: result)
    let schedule = try #require(text.split(separator: "As it is: ").last?.split(separator: "@").first)
    #expect(schedule.contains("*50000"))
    #expect(schedule.contains("~"))
    #expect(text.contains("ASYNCSTORE_SCHEDULE='\(schedule)@LongRecordingTests.swift:"))
  }

  @Test("The record of a schedule too long for a command line is a file that replays the trap")
  func longWord() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1), function: "long()") { simulation in
        if chooseOften(simulation) { fatalError("at the end") }
      }
    }
    let command = try replayCommand(in: errorText(of: result))
    #expect(command.hasSuffix(#" swift test --filter '[./]`?long`?(\(|$)'"#))
    let path = try await file(of: command)
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.replay(path)) { simulation in if chooseOften(simulation) { throw Failure("at the end") } }
      })
    #expect(failure.schedule?.count == 40_000)
    #expect(!failure.description.contains("not the same each time"))
    // This line names a file as well, with the same word for another exploration.
    let ownPath = try await file(of: try replayCommand(in: failure.description))
    defer { try? FileManager.default.removeItem(atPath: ownPath) }
    let words = try [path, ownPath].map { try String(contentsOfFile: $0, encoding: .utf8).split(separator: "@")[0] }
    #expect(words[0] == words[1])
    // The environment variable takes it as well.
    var explorer = Explorer(exploration: .seeds(5))
    explorer.environment.schedule = ownPath
    explorer.site = ExplorationSite(filePath: "/\(#fileID.split(separator: "/")[1])", line: 1)
    let other = explorer
    #expect(try await other.explore { run in run { _ in } }.scheduleCount == 5, "another exploration's")
  }

  @Test("The record of a long schedule is found in a file by the next process too")
  func killed() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1), function: "killed()") { simulation in
        if chooseOften(simulation) { kill(getpid(), SIGKILL) }
      }
    }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1)) { _ in }
    }
    let command = try replayCommand(in: errorText(of: result))
    #expect(command.hasSuffix(#"--filter '[./]`?killed`?(\(|$)'"#))
    let text = try String(contentsOfFile: try await file(of: command), encoding: .utf8)
    #expect(try ScheduleReference(reading: text).schedule.count == 40_000)
  }

  @Test("The record of a long schedule is cut at a whole choice when it is full, and says so")
  func full() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      try await explore(.seeds(1), function: "full()") { _ in
        for index in 0..<2_000_000 {
          Recording.add(Schedule.Choice(kind: .fault, index: 4_000_000_000 + index, count: 4_294_967_295))
        }
        fatalError("at the end")
      }
    }
    let text = errorText(of: result)
    #expect(text.contains("The schedule is longer than its record"))
    let path = try await file(of: try replayCommand(in: text))
    let word = try String(contentsOfFile: path, encoding: .utf8).split(separator: "@")[0]
    #expect(word.utf8.count > 30_000_000)
    let last = try #require(word.suffix(100).split(separator: "-").last)
    #expect(last.wholeMatch(of: /f40\d{8}\/4294967295/) != nil)
  }

  @Test("A long schedule has no longer runs than can be read")
  func longRuns() throws {
    let choice = Schedule.Choice(kind: .job, index: 0, count: 2)
    let schedule = Schedule(seed: 7, choices: Array(repeating: choice, count: 1_000_001))
    #expect(schedule.description == "7:0/2*1000000-0/2")
    #expect(Schedule(schedule.description) == schedule)
  }

  /// The file that a command names, which a command line can take.
  private func file(of command: String) async throws -> String {
    #expect(command.utf8.count < 1_000)
    let path = try await shellArguments(of: command)[0]
    #expect(FileManager.default.fileExists(atPath: path))
    return path
  }
}

/// Makes more choices than a command line can take.
///
/// - Returns: true if any of them is out of the ordinary.
private func chooseOften(_ simulation: Simulation) -> Bool {
  let outcomes = Array(0..<1_000)
  var isOrdinary = true
  for _ in 0..<40_000 where simulation.choose(among: outcomes) != 0 { isOrdinary = false }
  return !isOrdinary
}

private func chooseRuns(_ simulation: Simulation) async {
  await withTaskGroup { group in
    for _ in 0..<100 { group.addTask {} }
  }
  for count in [2, 3, 4, 2, 2, 7, 6, 5, 4, 4, 3, 2, 9, 8] { _ = simulation.choose(among: Array(0..<count)) }
  for index in [0, 1 << 40, Int.max - 1] { Recording.addBoth(.fault, index, of: .max, to: simulation) }
  for _ in 0..<20 {
    for index in 1...9 { Recording.addBoth(.fault, index % 3, of: 12 - index, to: simulation) }
    for index in 1...9 { Recording.addBoth(.wake, index % 2, of: 5, to: simulation) }
    for index in 0..<4 { Recording.addBoth(.fault, 1, of: 9 - index / 2, to: simulation) }
    for index in 0..<9 { Recording.addBoth(.job, 1, of: 40 - index, to: simulation) }
  }
  for _ in 0..<50_000 { Recording.addBoth(.wake, 0, of: 3, to: simulation) }
}

extension Recording {
  /// Adds a choice to the record and to the simulation's own schedule.
  fileprivate static func addBoth(
    _ kind: Schedule.Choice.Kind, _ index: Int, of count: Int, to simulation: Simulation
  ) {
    let choice = Schedule.Choice(kind: kind, index: index, count: count)
    simulation.scheduler.state.withLock { $0.choices.append(choice) }
    add(choice)
  }
}

private func printLine(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
