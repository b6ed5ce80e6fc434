import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("An exploration")
struct ExplorationTests {
  // MARK: Finding

  @Test("An exploration finds a lost update, and shrinks it to a schedule without a switch")
  func lostUpdate() async throws {
    let failure = try await find(.seeds(1_000)) { simulation in
      let count = Note(0)
      await withTaskGroup { group in
        for _ in 0..<3 {
          group.addTask {
            let old = count.value
            await switchPoint()
            count.value = old + 1
          }
        }
      }
      // Running the tasks in the order in which they became runnable loses updates as well. Running one task at a time
      // does not.
      if count.value == 1 { throw Failure("lost") }
    }
    #expect(failure.description.contains("lost"))
    #expect(failure.schedule?.switchCount == 0)
  }

  @Test("An exploration finds what needs one particular switch, and leaves just that one")
  func oneSwitch() async throws {
    let failure = try await find(.seeds(1_000), lateWriter)
    let schedule = try #require(failure.schedule)
    #expect(schedule.switchCount == 1)
    let replayed = try await find(.replay(schedule.description), lateWriter)
    #expect(replayed.schedule == schedule)
    #expect(replayed.description.contains("written late"))
  }

  /// Fails if the second task completes before the first begins.
  private let lateWriter: @Sendable (Simulation) async throws -> Void = { _ in
    let flag = Note(false)
    let isLate = Note(false)
    async let first: Void = { flag.value = true }()
    async let second: Void = { isLate.value = !flag.value }()
    async let others: Void = { for _ in 0..<8 { await switchPoint() } }()
    _ = await (first, second, others)
    if isLate.value { throw Failure("written late") }
  }

  private static let landed = Note<[String]>()

  @Test(
    "An exploration takes an expectation that fails for a find, and reports it once, where it stands",
    .compactMapIssues { issue in
      guard "\(issue)".contains("order.value") else { return issue }
      landed.add("\(issue.sourceLocation?.fileName ?? "nowhere")")
      return nil
    })
  func expectationIsFound() async throws {
    // The test may be repeated in one process.
    Self.landed.value = []
    let failure = try await find(.seeds(1_000)) { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b"] { group.addTask { order.add(name) } }
      }
      #expect(order.value == ["a", "b"])
    }
    #expect(failure.description.contains("order.value"))
    #expect(Self.landed.value == ["ExplorationTests.swift"])
  }

  private static let landedRequirements = Note<[String]>()

  @Test(
    "An exploration takes a failed requirement for one find, whatever the values, and reports where it stands",
    .compactMapIssues { issue in
      guard "\(issue)".contains("order.value") else { return issue }
      landedRequirements.add("\(issue.sourceLocation?.fileName ?? "nowhere")")
      return nil
    })
  func requirementIsFound() async throws {
    Self.landedRequirements.value = []
    let failure = try await find(.seeds(1_000)) { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b", "c"] { group.addTask { order.add(name) } }
      }
      try #require(order.value == ["a", "b", "c"])
    }
    #expect(failure.description.contains("order.value"))
    #expect(failure.description.split(separator: "Replay it: ").count == 2, "one schedule")
    #expect(failure.schedule?.switchCount == 1)
    #expect(Self.landedRequirements.value == ["ExplorationTests.swift"])
  }

  @Test(
    "An exploration takes a confirmation that fails for one failure, however often it was confirmed",
    .filterIssues { issue in
      if case .confirmationMiscounted = issue.kind { false } else { true }
    })
  func miscountIsOneFailure() async throws {
    let failure = try await find(.seeds(100)) { simulation in
      let count = simulation.choose(among: [1, 2, 3, 4])
      await confirmation { confirm in confirm(count: count) }
    }
    #expect(failure.description.split(separator: "Replay it: ").count == 2, "one schedule")
    #expect(failure.schedule?.switchCount == 1)
  }

  @Test("An exploration takes no known issue for a find")
  func knownIssueIsNone() async throws {
    let report = try await explore(.seeds(3)) { _ in
      withKnownIssue { Issue.record("known") }
    }
    #expect(report.scheduleCount == 3)
  }

  @Test("An exploration finds a leak like any other fault")
  func simulationFailuresAreFound() async throws {
    let failure = try await find(.seeds(100)) { simulation in
      let store = simulation.store(Journal(), env: ())
      let isFirst = Note(false)
      async let a: Void = { isFirst.value = true }()
      async let b: Void = { if !isFirst.value { store.receive(.sleep(.seconds(1)).id("left")) } }()
      _ = await (a, b)
    }
    #expect(failure.description.contains("Leak: "))
    #expect(failure.description.contains("[left] sleep"))
    #expect(failure.description.contains("begun [left] sleep"), "what the stores did is told")
  }

  @Test("An exploration with jitter crosses deadlines that are close to each other")
  func deadlinesAreCrossed() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let order = Note<[String]>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (name, delay) in [("a", 10_000), ("b", 10_300)] {
          group.addTask {
            try await simulation.clock.sleep(for: .microseconds(delay))
            order.add(name)
          }
        }
        try await group.waitForAll()
      }
      if order.value == ["b", "a"] { throw Failure("crossed") }
    }
    _ = try await find(.seeds(100), body)
    try await explore(.seeds(100), jitter: .zero, body)
  }

  @Test("With priorities, 2,000 schedules find a race of depth 2 that chance misses in 20,000")
  func priorities() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let step = Note(0)
      let isWrong = Note(false)
      async let slow: Void = {
        await switchPoint()
        step.value = 1
        await switchPoint()
        step.value = 2
      }()
      // All of this must happen between the two steps.
      async let fast: Void = {
        let begin = step.value
        for _ in 0..<20 { await switchPoint() }
        isWrong.value = begin == 1 && step.value == 1
      }()
      _ = await (slow, fast)
      if isWrong.value { throw Failure("in between") }
    }
    try await explore(.seeds(TestSize.many(20_000), by: .random), body)
    let failure = try await find(.seeds(2_000, by: .priorities(depth: 2)), body)
    #expect(failure.description.contains("in between"))
    _ = try await find(.seeds(4_000), body)
  }

  @Test("An exploration runs a task that another one spins for, whatever the priorities are")
  func spin() async throws {
    // The spins are the test's subject, and end with the simulation. They are on time, because time does not pass while
    // a task yields in cycles.
    try await explore(.seeds(20, by: .priorities(depth: 3)), jitter: .zero) { simulation in
      let turn = Note(0)
      await withTaskGroup { group in
        // Each task waits for its turn, five times: by yields, by sleeps of no time, by a task that it makes.
        group.addTask {
          for step in 0..<5 {
            await busyWait { turn.value != step * 3 }
            turn.value += 1
          }
        }
        group.addTask {
          for step in 0..<5 {
            while turn.value != step * 3 + 1 { try? await simulation.clock.sleep(for: .zero) }
            turn.value += 1
          }
        }
        group.addTask {
          for step in 0..<5 {
            while await readElsewhere(turn) != step * 3 + 2 {}
            turn.value += 1
          }
        }
      }
      #expect(turn.value == 15)
    }
  }

  // MARK: Exhaustive

  @Test("An exhaustive exploration runs every schedule once")
  func allSchedules() async throws {
    let orders = Note<[[String]]>([])
    let report = try await explore(.exhaustive()) { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b", "c"] { group.addTask { order.add(name) } }
      }
      orders.change { $0.append(order.value) }
    }
    #expect(Set(orders.value).count == 6)
    #expect(report.isExhaustive)
    #expect(report.scheduleCount == orders.value.count)
    #expect(report.description == "all \(report.scheduleCount) schedules pass")
  }

  @Test("An exhaustive exploration fails if there are more schedules than its limit, and not if there are as many")
  func limit() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      await withTaskGroup { group in
        for _ in 0..<3 { group.addTask {} }
      }
    }
    let count = try await explore(.exhaustive(), body).scheduleCount
    #expect(try await explore(.exhaustive(limit: count), body).scheduleCount == count)
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.exhaustive(limit: count - 1), body) })
    #expect(failure.code == .limitReached)
  }

  @Test("An exhaustive exploration does not count what is chosen while a run is taken down")
  func lastChoices() async throws {
    let report = try await explore(.exhaustive(limit: 100), atEnd: .cancels) { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(
        .task {
          do { try await simulation.clock.sleep(for: .seconds(60)) } catch {
            for _ in 0..<3 { _ = simulation.happens(withProbability: 0.5) }
          }
          return .none
        })
    }
    #expect(report.isExhaustive)
  }

  @Test("An exploration notices that a body depends on something other than the schedule")
  func divergence() async throws {
    let runs = Note(0)
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      runs.change { $0 += 1 }
      let count = runs.value == 1 ? 2 : 3
      await withTaskGroup { group in
        for _ in 0..<count { group.addTask {} }
      }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.exhaustive(), body) })
    #expect(failure.code == .divergence)
  }

  // MARK: Replaying

  @Test("An exploration says at which choice a replay did something else")
  func replayDiverges() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.replay("0:0/2-0/7")) { _ in
          await withTaskGroup { group in
            for _ in 0..<3 { group.addTask {} }
          }
        }
      })
    #expect(failure.code == .divergence)
    #expect(failure.description.contains("at choice 1 there were 3 runnable jobs, and 2 runnable jobs when"))
    await #expect(throws: SimulationFailure.self) { try await explore(.replay("nonsense")) { _ in } }
  }

  @Test("An exploration does what environment variables ask")
  func environment() async throws {
    let runs = Note(0)
    var explorer = Explorer(exploration: .seeds(10))
    explorer.environment.seeds = 25
    _ = try await explorer.explore { run in run { _ in runs.change { $0 += 1 } } }
    #expect(runs.value == 25)
    explorer.environment.schedule = "0:"
    _ = try await explorer.explore { run in run { _ in runs.change { $0 += 1 } } }
    #expect(runs.value == 26)
  }

  @Test("An exploration reports every failure that it finds, each with a schedule")
  func distinctFailures() async throws {
    let failure = try await find(.seeds(1_000)) { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b", "c"] { group.addTask { order.add(name) } }
      }
      if order.value.first != "a" { throw Failure("\(order.value[0]) was the first") }
    }
    #expect(failure.description.contains("b was the first"))
    #expect(failure.description.contains("c was the first"))
    #expect(failure.description.contains("Another failure:"))
    #expect(failure.description.split(separator: "Replay it: ").count == 3)
  }

  @Test("An exploration says how many of its schedules were different, and how many of the last ones were new")
  func coverage() async throws {
    let report = try await explore(.seeds(2_000), jitter: .zero) { _ in
      async let a: Void = switchPoint()
      async let b: Void = switchPoint()
      _ = await (a, b)
    }
    #expect(2...40 ~= report.distinctScheduleCount)
    #expect(report.newScheduleCount == 0)
  }

  @Test("An exploration first tries the schedules that are kept in a file beside the test")
  func keptSchedules() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let order = Note<[String]>()
      await withTaskGroup { group in
        for name in ["a", "b"] { group.addTask { order.add(name) } }
      }
      if order.value.first == "b" { throw Failure("b was the first") }
    }
    var explorer = Explorer(exploration: .seeds(100))
    explorer.site = ExplorationSite(filePath: folder.path + "/OrderTests.swift", line: 7, function: "order()")
    explorer.environment.keepsSchedules = true
    let first = explorer
    await #expect(throws: SimulationFailure.self) { try await first.explore { run in run(body) } }
    // The exploration is exhaustive, and the first schedule passes.
    explorer.exploration = .exhaustive()
    explorer.environment.keepsSchedules = false
    let again = explorer
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await again.explore { run in run(body) } })
    #expect(failure.description.contains("A schedule that was kept fails."))
    let text = try String(contentsOf: folder.url.appendingPathComponent("OrderTests.schedules"), encoding: .utf8)
    #expect(text.hasPrefix("keptSchedules "), "the running test's name")
  }

  @Test("An exploration counts the schedules that are kept, and one that is replayed", arguments: [false, true])
  func countsEverySchedule(isExhaustive: Bool) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      async let a: Void = switchPoint()
      async let b: Void = switchPoint()
      _ = await (a, b)
    }
    var explorer = Explorer(exploration: isExhaustive ? .exhaustive() : .seeds(1))
    explorer.site = ExplorationSite(filePath: folder.path + "/CountTests.swift", line: 7, function: "count()")
    let kept = try ["0:1/2", "0:0/2"].map { try #require(Schedule($0)) }
    for schedule in kept { KeptSchedules(explorer.site).keep(schedule) }
    let counted = explorer
    let report = try await counted.explore { run in run(body) }
    #expect(report.distinctScheduleCount >= 2)
    #expect(report.distinctScheduleCount <= report.scheduleCount)
    if isExhaustive {
      #expect(report.distinctScheduleCount == report.scheduleCount, "those that are kept are among all")
    } else {
      #expect(report.scheduleCount == 3)
    }
    explorer.environment.schedule = "0:"
    let replaying = explorer
    let replay = try await replaying.explore { run in run { _ in } }
    #expect(replay.scheduleCount == 1)
    #expect(replay.distinctScheduleCount == 1)
  }

  @Test("An exploration ignores the schedule of another exploration")
  func otherExplorationsSchedule() async throws {
    let runs = Note(0)
    var explorer = Explorer(exploration: .seeds(10))
    explorer.environment.schedule = "0:1/2@AnotherTests.swift:7"
    _ = try await explorer.explore { run in run { _ in runs.change { $0 += 1 } } }
    #expect(runs.value == 10)
  }

  @Test("An exploration of no schedules traps, because it would find nothing")
  func noSeeds() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Exploration.seeds(0)
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("An exploration of 0 schedules would find nothing"))
  }

  private func find(
    _ exploration: Exploration, _ body: @escaping @Sendable (Simulation) async throws -> Void,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws -> SimulationFailure {
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(exploration, body) })
    #expect(failure.code == .failingSchedule, sourceLocation: sourceLocation)
    return failure
  }
}

private func readElsewhere(_ note: Note<Int>) async -> Int { await Task { note.value }.value }
