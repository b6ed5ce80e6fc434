import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("Choices of a body")
struct ChoicesTests {
  @Test("A schedule, the random numbers and the stores of a seed have sequences of their own", arguments: [0, 1, 7])
  func independentNumbers(seed: UInt64) async throws {
    let seeds = [seed, seed + 1] + (0..<8).map { Simulation.seed(seed, of: $0) }
    let numbers = seeds.flatMap { seed in
      var generator = SplitMix64(seed: seed)
      return (0..<16).map { _ in generator.next() }
    }
    #expect(Set(numbers).count == numbers.count)
    try await simulate(seed: seed) { simulation in
      #expect(simulation.random.next() == numbers[2 * 16])
    }
  }

  @Test("An exhaustive exploration makes all choices of a body")
  func exhaustive() async throws {
    let seen = Note<Set<String>>([])
    let report = try await explore(.exhaustive()) { simulation in
      let letter = simulation.choose(among: ["a", "b", "c"])
      let isUpper = simulation.happens(withProbability: 0.01)
      seen.change { $0.insert(isUpper ? letter.uppercased() : letter) }
    }
    #expect(report.scheduleCount == 6)
    #expect(report.distinctScheduleCount == 6)
    #expect(seen.value == ["a", "b", "c", "A", "B", "C"])
  }

  @Test("With a seed, choices are drawn as often as they are likely")
  func probability() async throws {
    try await simulate(seed: 3) { simulation in
      let count = (0..<1_000).count { _ in simulation.happens(withProbability: 0.25) }
      #expect(200...300 ~= count)
      let letters = (0..<1_000).map { _ in simulation.choose(among: ["a", "b", "c", "d"]) }
      #expect(200...300 ~= letters.count { $0 == "d" })
    }
  }

  @Test("There is no choice where there is nothing to choose, nor without a seed")
  func ordinary() async throws {
    try await simulate(seed: 3) { simulation in
      #expect(!simulation.happens(withProbability: 0))
      #expect(simulation.happens(withProbability: 1))
      #expect(simulation.choose(among: ["a"]) == "a")
      #expect(simulation.schedule.count == 0)
    }
    try await simulate { simulation in
      #expect(!simulation.happens(withProbability: 0.99))
      #expect(simulation.choose(among: ["a", "b"]) == "a")
    }
  }

  @Test("Choices shrink to those that a failure needs, and are replayed")
  func shrinking() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let drawn = (0..<20).map { _ in simulation.choose(among: [0, 1, 2]) }
      if drawn[7] == 2, simulation.happens(withProbability: 0.5) { throw Failure("both") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(1_000), body) })
    let schedule = try #require(failure.schedule)
    #expect(schedule.description.hasSuffix(":f0/3*7-f2/3-f0/3*12-f1"))
    #expect(Schedule(schedule.description) == schedule)
    let again = await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(schedule.description), body)
    }
    #expect(again?.schedule == schedule)
  }

  @Test("A body may choose among more values than 32 bits can count")
  func manyValues() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let drawn = (0..<3).map { _ in simulation.choose(among: 0..<Int.max) }
      if drawn.contains(where: { $0 > 1 << 40 }) { throw Failure("far") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(3), body) })
    let schedule = try #require(failure.schedule)
    #expect(schedule.switchCount == 1)
    let again = await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(schedule.description), body)
    }
    #expect(again?.schedule == schedule)
  }

  @Test("A replay that does something else says what was chosen")
  func divergence() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.replay("0:f1/2")) { _ = $0.choose(among: [1, 2, 3]) } })
    #expect(
      failure.description.contains("at choice 1 there were 3 outcomes of a fault, and 2 outcomes of a fault when"))
  }

  @Test("A choice that can't be made traps")
  func misuse() async throws {
    let probability = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ = $0.happens(withProbability: 1.5) }
    }
    #expect(words(probability).contains("A probability is from 0 to 1, and this is 1.5."))
    let nothing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ = $0.choose(among: [Int]()) }
    }
    #expect(words(nothing).contains("There is nothing to choose among."))
  }

  private func words(_ result: ExitTest.Result?) -> String {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
  }
}
