import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// The exit tests' bodies run in processes of their own.
///
/// They exit by themselves where the text that is printed at the
/// end matters: an exit test leaves out what comes after its body.
@Suite("A replay that reaches no exploration")
struct ReplayWatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A replay that reaches no exploration is reported at the end of the process, with those that have run")
  func told() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder.path as String] in
      TemporaryFolder.use(path)
      setenv("ASYNCSTORE_SCHEDULE", "0:1/2@MovedTests.swift:99", 1)
      for line in [42, 7, 42] {
        var explorer = Explorer(exploration: .seeds(3))
        explorer.site = ExplorationSite(filePath: "/tests/MovedTests.swift", line: line)
        let exploring = explorer
        let report = try await exploring.explore { run in run { _ in } }
        #expect(report.scheduleCount == 3)
      }
      exit(EXIT_SUCCESS)
    }
    let lines = errorText(of: result).split(separator: "\n")
    let line = try #require(lines.first { $0.contains("Nothing was replayed.") })
    #expect(line.contains("ASYNCSTORE_SCHEDULE names MovedTests.swift:99, and no exploration there has run."))
    #expect(line.contains("these have run: MovedTests.swift:7, MovedTests.swift:42, MovedTests.swift:42#2. If"))
  }

  @Test("A replay that reaches no exploration fails the process, and one that reaches it does not")
  func status() async throws {
    let result = await #expect(processExitsWith: .exitCode(EXIT_FAILURE), observing: [\.standardErrorContent]) {
      var environment = ExplorationEnvironment()
      environment.schedule = "0:@A.swift:1"
      ReplayWatch(environment, isExitTest: false)?.start().note("B.swift:1")
      exit(EXIT_SUCCESS)
    }
    #expect(errorText(of: result).contains("No exploration of A.swift has run: compare the file's name"))
    await #expect(processExitsWith: .success) {
      var environment = ExplorationEnvironment()
      environment.schedule = "0:@A.swift:1"
      ReplayWatch(environment, isExitTest: false)?.start().note("A.swift:1")
    }
  }

  @Test("No replay is reported as missing if nothing has run, any exploration replays it, or it has run")
  func silent() throws {
    var environment = ExplorationEnvironment()
    #expect(ReplayWatch(environment) == nil)
    for schedule in ["0:", "nonsense"] {
      environment.schedule = schedule
      #expect(ReplayWatch(environment) == nil)
    }
    environment.schedule = "0:@It's odd.swift:1~1f#2 "
    let watch = try #require(ReplayWatch(environment))
    #expect(watch.warning == nil)
    watch.note("It's odd.swift:1~1f")
    #expect(watch.warning?.contains("Of It's odd.swift these have run: It's odd.swift:1~1f. If") == true)
    watch.note("It's odd.swift:1~1f#2")
    #expect(watch.warning == nil)
  }
}
