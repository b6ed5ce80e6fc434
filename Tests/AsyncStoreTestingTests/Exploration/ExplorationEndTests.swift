import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// An exploration of `Int.max` seeds, which never ends by itself.
@Suite("An exploration of more seeds than can be tried")
struct ExplorationEndTests {
  @Test("An exploration of more seeds than can be tried reports what it has found")
  func find() async throws {
    var explorer = Explorer(exploration: .seeds(.max))
    // Time passes with each look at it.
    let start = ContinuousClock.now
    let looks = Note(0)
    explorer.now = {
      looks.change { $0 += 1 }
      return start + .milliseconds(50) * looks.value
    }
    let exploring = explorer
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await exploring.explore { run in run { _ in throw Failure("always") } } })
    #expect(failure.description.contains("Schedule number 1 fails."))
  }

  @Test("An exploration of more seeds than can be tried ends when its task is cancelled")
  func cancelled() async throws {
    let task = Task {
      try await explore(.seeds(.max)) { simulation in
        if simulation.seed == 10 { endTest.value?.cancel() }
      }
    }
    endTest.value = task
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  #if os(Linux)
    @Test("An exploration ends when an expectation of a detached task fails, which Swift Testing reports too")
    func detachedExpectation() throws {
      // Whichever test of this process ran would get the report, so the exploration is a test of another process.
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", "DetachedExpectation/subject"]
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      process.environment = ProcessInfo.processInfo.environment.merging([
        DetachedExpectation.variable: "1", "TMPDIR": folder.path,
      ]) { $1 }
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let reports = text.split(separator: "\n").filter { $0.contains("recorded an issue") }
      #expect(reports.count { $0.contains("«unknown»") } == 1)
      #expect(reports.count { $0.contains("fails.") } == 1, "the exploration's")
      #expect(reports.count == 2)
      #expect(text.contains("Replay it: "))
    }
  #endif
}

/// A test that fails, run by another one in a process of its own.
struct DetachedExpectation {
  static let variable = "ASYNCSTORE_DETACHED_EXPECTATION"

  @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
  func subject() async throws {
    try await explore(.seeds(100)) { _ in
      let value = Note(0)
      let reader = Task.detached {
        await switchPoint()
        #expect(value.value == 0, "seen by a detached task")
      }
      await Task.detached { value.value = 1 }.value
      await reader.value
    }
  }
}

/// The exploration that cancels itself.
private let endTest = Note<Task<ExplorationReport, any Error>?>(nil)
