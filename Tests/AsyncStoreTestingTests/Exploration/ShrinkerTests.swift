import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("A shrinker")
struct ShrinkerTests {
  @Test("A shrinker shrinks the failure that was found, and not another one of the same type")
  func identity() async throws {
    // Failures with three switches in a row are rare. Failures with one switch are frequent and simpler.
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b", "c", "d"] { group.addTask { order.add(name) } }
      }
      if order.value == ["d", "c", "b", "a"] { throw Failure("reversed") }
      if order.value.first != "a" { throw Failure("another one first") }
    }
    let schedule = try #require(Schedule("0:3/4-2/3-1/2"))
    let found = Trial(schedule: schedule, failure: Trial.Failure(Failure("reversed")), eventLog: [])
    let runner = TrialRunner(
      body: body, options: Scheduler.Options(), end: .nothingInFlight, issues: IssueCollector())
    #expect(runner.run(schedule).failure?.description == found.failure?.description)
    var shrinker = Shrinker(found, runner: runner, within: TimeLimit(.seconds(3_600)))
    let shrunk = shrinker.shrink()
    #expect(shrunk.failure?.description == found.failure?.description)
    #expect(!shrinker.isInterrupted)
  }

  @Test("A failure that does not come again is reported as such")
  func noRepetition() async throws {
    let isFirst = Note(true)
    let explorer = Explorer(exploration: .seeds(1, by: .random), jitter: .zero)
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      defer { isFirst.value = false }
      if isFirst.value { throw Failure("once") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await Self.run(explorer, body) })
    #expect(failure.description.contains("once"))
    #expect(failure.description.contains("The same schedule passed when it was run again"))
  }

  @Test("A shrinker takes two failures for the same by type, message and details")
  func failureIdentity() {
    #expect(Trial.Failure(Failure("a")).identity == Trial.Failure(Failure("a")).identity)
    #expect(Trial.Failure(Failure("a")).identity != Trial.Failure(Failure("b")).identity)
    #expect(Trial.Failure(Failure("a")).identity != Trial.Failure(CancellationError()).identity)
    let leak = { (details: [String]) in Trial.Failure(SimulationFailure(.leak, "…", schedule: nil, details: details)) }
    #expect(leak(["timer"]).identity != leak(["search"]).identity)
  }

  @Test("A shrinker takes no longer than it may, and says that there was no more time")
  func shrinkingTakesLittleTime() async throws {
    let explorer = Explorer(exploration: .seeds(1, by: .random), jitter: .zero, shrinkingTime: .zero)
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let order = Note<[Int]>([])
      await withTaskGroup { group in
        for number in 0..<300 {
          group.addTask {
            for _ in 0..<10 { await switchPoint() }
            order.change { $0.append(number) }
          }
        }
      }
      if order.value != Array(0..<300) { throw Failure("out of order") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await Self.run(explorer, body) })
    #expect(failure.description.contains("There was no time to shrink it further."))
    #expect(failure.description.contains("out of order"))
  }

  @Test("A shrinker gives up in the middle of a run when its time is over")
  func endsWithinRun() throws {
    let moment = Note(ContinuousClock.now)
    let steps = Note(0)
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b"] { group.addTask { order.add(name) } }
      }
      if order.value.first == "b" { throw Failure("b was the first") }
      moment.change { $0 += .seconds(11) }
      for _ in 0..<100_000 where !Task.isCancelled {
        await switchPoint()
        steps.change { $0 += 1 }
      }
    }
    let schedule = try #require(Schedule("0:1/2"))
    let found = Trial(schedule: schedule, failure: Trial.Failure(Failure("b was the first")), eventLog: [])
    let runner = TrialRunner(
      body: body, options: Scheduler.Options(), end: .nothingInFlight, issues: IssueCollector())
    let limit = TimeLimit(.seconds(10)) { moment.value }
    var shrinker = Shrinker(found, runner: runner, within: limit)
    let shrunk = shrinker.shrink()
    #expect(shrunk.schedule == schedule)
    #expect(shrinker.isInterrupted)
    #expect(steps.value < 200)
  }

  @Test("A shrinker finds the one task that has to be held back, however many switches that takes")
  func hold() async throws {
    // So much time that the result does not depend on the machine's load.
    let explorer = Explorer(
      exploration: .seeds(1_000, by: .priorities(depth: 2)), jitter: .zero, shrinkingTime: .seconds(3_600))
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let isOpen = Note(false)
      let looks = Note(0)
      await withTaskGroup { group in
        group.addTask {
          await switchPoint()
          isOpen.value = true
          await switchPoint()
          isOpen.value = false
        }
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<50 {
              if isOpen.value { looks.change { $0 += 1 } }
              await switchPoint()
            }
          }
        }
      }
      if looks.value >= 100 { throw Failure("open for too long") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await Self.run(explorer, body) })
    #expect(failure.description.contains(" They hold one task back for "))
    let switches = try #require(failure.schedule?.choices.filter { $0.index != 0 })
    // A switch point is two jobs, and a hundred looks at the open gate are enough.
    #expect(180...200 ~= switches.count)
    #expect(switches.allSatisfy { $0.index == 1 })
  }

  private static func run(_ explorer: Explorer, _ body: @escaping Explorer.Body) async throws {
    _ = try await explorer.explore { run in run(body) }
  }
}
