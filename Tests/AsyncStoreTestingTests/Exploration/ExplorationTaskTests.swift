import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("An exploration's task")
struct ExplorationTaskTests {
  @Test("An exploration takes what a detached task records for its own only on its own thread")
  func responsibility() async throws {
    let collector = IssueCollector()
    #expect(collector.isResponsible(isInTest: true))
    #expect(!collector.isResponsible(isInTest: false))
    let runner = TrialRunner(
      body: { _ in
        let isResponsible = await Task.detached { collector.isResponsible(isInTest: false) }.value
        if !isResponsible { throw Failure("not its own") }
        let isResponsibleElsewhere = Note(true)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          isResponsibleElsewhere.value = collector.isResponsible(isInTest: false)
          done.signal()
        }
        wait(for: done)
        if isResponsibleElsewhere.value { throw Failure("another thread's") }
      }, options: Scheduler.Options(), end: .nothingInFlight, issues: collector)
    #expect(runner.run(Schedule(seed: 0, choices: [])).failure?.description == nil)
  }

  @Test("An exploration finds that an operation begins late, even if the store has no executor and its caller waits")
  func lateOperation() async throws {
    let logs = Note<Set<[String]>>([])
    try await explore(.exhaustive(limit: 1_000)) { _ in
      let store = JournalStore(state: Journal(), env: ())
      let canceller = Task { _ = store.receive(.cancel("work")) }
      await store.run(.logTask("done").id("work"))
      await canceller.value
      let log = store.log
      logs.change { _ = $0.insert(log) }
    }
    #expect(logs.value == [[], ["done"]])
  }

  @Test("An exploration ends when its task is cancelled")
  func cancelled() async throws {
    let runs = Note(0)
    let task = Task {
      try await explore(.seeds(1_000_000)) { _ in
        runs.change { $0 += 1 }
        if runs.value >= 10 { cancelTest.value?.cancel() }
      }
    }
    cancelTest.value = task
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.value < 1_000_000)
  }
}

/// The exploration that cancels itself.
private let cancelTest = Note<Task<ExplorationReport, any Error>?>(nil)

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
