import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// The exit tests' bodies set the variables of processes of their own.
@Suite("An environment variable of explorations")
struct ExplorationEnvironmentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "A mistyped environment variable is an error that names the variable and its value",
    arguments: [
      ("ASYNCSTORE_SEEDS", "abc"), ("ASYNCSTORE_SEEDS", "-5"), ("ASYNCSTORE_SEEDS", " 10"), ("ASYNCSTORE_SEEDS", "0"),
      ("ASYNCSTORE_SEEDS", "1e6"), ("ASYNCSTORE_SEEDS", "9223372036854775808"), ("ASYNCSTORE_KEEP", "yes"),
      ("ASYNCSTORE_SCHEDULE", "nonsense"), ("ASYNCSTORE_SCHEDULE", "/no/such/file"),
    ])
  func mistyped(name: String, value: String) async throws {
    await #expect(processExitsWith: .success) { [name, value, path = folder.path as String] in
      TemporaryFolder.use(path)
      setenv(name, value, 1)
      let failure = await #expect(throws: SimulationFailure.self) { try await explore(.exhaustive()) { _ in } }
      #expect(failure?.description.contains(value) == true)
      #expect(failure?.description.contains(name) == true)
    }
  }

  @Test(
    "An environment variable that is empty, or asks for nothing, does nothing",
    arguments: [
      ("ASYNCSTORE_SEEDS", ""), ("ASYNCSTORE_SEEDS", "1"), ("ASYNCSTORE_KEEP", ""), ("ASYNCSTORE_KEEP", "0"),
      ("ASYNCSTORE_SCHEDULE", ""), ("ASYNCSTORE_SCHEDULE", " \n"),
    ])
  func empty(name: String, value: String) async throws {
    await #expect(processExitsWith: .success) { [name, value, path = folder.path as String] in
      TemporaryFolder.use(path)
      setenv(name, value, 1)
      try FileManager.default.createDirectory(atPath: path + "/tests", withIntermediateDirectories: true)
      var explorer = Explorer(exploration: .seeds(3))
      explorer.site = ExplorationSite(filePath: path + "/tests/EmptyTests.swift", line: 7)
      let exploring = explorer
      #expect(try await exploring.explore { run in run { _ in } }.scheduleCount == 3)
      await #expect(throws: SimulationFailure.self) {
        try await exploring.explore { run in run { _ in throw Failure("always") } }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/tests").isEmpty)
    }
  }

  @Test(
    "A schedule in an environment variable, or in its file, is read without the blanks around it",
    arguments: [" 0:@BlankTests.swift:7 ", "\t0:@BlankTests.swift:7\r\n", " file\n"])
  func blanks(text: String) async throws {
    await #expect(processExitsWith: .success) { [text, path = folder.path as String] in
      TemporaryFolder.use(path)
      try Data(" 0:@BlankTests.swift:7 \r\n".utf8).write(to: URL(fileURLWithPath: path + "/word"))
      setenv("ASYNCSTORE_SCHEDULE", text.replacing("file", with: path + "/word"), 1)
      var explorer = Explorer(exploration: .seeds(3))
      explorer.site = ExplorationSite(filePath: "/tests/BlankTests.swift", line: 7)
      let exploring = explorer
      #expect(try await exploring.explore { run in run { _ in } }.scheduleCount == 1)
    }
  }

  @Test("An environment variable may not name a pipe, which would keep a reader waiting")
  func pipe() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      TemporaryFolder.use(path)
      #expect(mkfifo(path + "/word", 0o600) == 0)
      setenv("ASYNCSTORE_SCHEDULE", path + "/word", 1)
      let failure = await #expect(throws: SimulationFailure.self) { try await explore(.exhaustive()) { _ in } }
      #expect(failure?.description.contains("This is neither a schedule nor a file with one: \(path)/word") == true)
    }
  }
}
