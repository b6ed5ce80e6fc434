import AsyncStoreTesting
import Foundation
import Testing

@Suite("Planted bugs", .serialized)
struct PlantedBugTests {
  @Test("Each planted bug is found and replayed, and nothing is found without it", arguments: PlantedBug.all)
  func isFound(_ bug: PlantedBug) async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.seeds(PlantedBug.schedules)) { try await bug.body($0, true) } })
    #expect(failure.code == .failingSchedule)
    #expect(failure.description.contains(bug.symptom))
    let number = failure.description.firstMatch(of: /Schedule number (\d+) fails/)?.1 ?? "?"
    let schedule = try #require(failure.schedule)
    let row = "| \(bug.name) | \(number) | \(schedule.switchCount) of \(schedule.count) |"
    FileHandle.standardError.write(Data((row + "\n").utf8))

    let replayed = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.replay(schedule.description)) { try await bug.body($0, true) } })
    #expect(replayed.schedule == schedule)
    #expect(replayed.description.contains(bug.symptom))

    let schedules = TestSize.many(PlantedBug.schedules)
    let report = try await explore(.seeds(schedules)) { try await bug.body($0, false) }
    #expect(report.scheduleCount == schedules)
  }

  @Test("There are at least twenty planted bugs, each with a name of its own")
  func count() {
    #expect(Set(PlantedBug.all.map(\.name)).count == PlantedBug.all.count)
    #expect(PlantedBug.all.count >= 20)
  }
}
