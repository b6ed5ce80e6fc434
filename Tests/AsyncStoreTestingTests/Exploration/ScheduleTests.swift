import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("A schedule")
struct ScheduleTests {
  @Test(
    "A schedule is read as it is printed",
    arguments: [
      "0:", "7:0/2", "7:0/2*14-1/3-w2/3-0/4*2", "18446744073709551615:9/10", "0:0/1000~999",
      "3:5/9-7-0~3-w1/3-w0-1/4",
    ])
  func roundTrip(text: String) throws {
    let schedule = try #require(Schedule(text))
    #expect(schedule.description == text)
    #expect(Schedule(schedule.description) == schedule)
  }

  @Test(
    "A schedule is not read from anything but its printed form",
    arguments: [
      "", "7", ":", "x:0/2", "7:2/2", "7:0/1", "7:0", "7:0/2*", "7:0/2*0", "7:-1/2", "7:0/2*1*1", "7:0/3~3", "7:2/3~2",
      "7:0/2~4", "7:0/2~1000000", "7:0/1~1",
      "7:w0/3-1",
    ])
  func malformed(text: String) { #expect(Schedule(text) == nil) }

  @Test("A schedule with more choices than fit into memory is not read, and a replay says so")
  func tooLong() async throws {
    let word = "0:" + Array(repeating: "0/2*1000000", count: 21).joined(separator: "-")
    #expect(throws: Schedule.Unreadable.tooLong) { try Schedule(reading: word) }
    #expect(Schedule(word) == nil)
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.replay(word)) { _ in } })
    #expect(failure.description.contains("This schedule has more than 20000000 choices, too many to follow: 0:0/2*"))
  }

  @Test("The schedule of a group of a thousand tasks is short")
  func group() async throws {
    let length = Note(0)
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      await withTaskGroup { group in
        for _ in 0..<1_000 { group.addTask {} }
      }
      length.value = simulation.schedule.description.utf8.count
      throw Failure("always")
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(1, by: .random), jitter: .zero, body) })
    let schedule = try #require(failure.schedule)
    #expect(schedule.count >= 999)
    #expect(schedule.description.utf8.count < 100)
    // Also where the order is any.
    await #expect(throws: Failure.self) { try await simulate(seed: 7, body) }
    #expect(1_000..<4_500 ~= length.value)
  }

  @Test("A schedule counts its choices and those out of the ordinary")
  func counts() throws {
    let schedule = try #require(Schedule("7:0/2*14-1/3-w2/3"))
    #expect(schedule.count == 16)
    #expect(schedule.switchCount == 2)
  }
}
