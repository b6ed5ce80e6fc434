import Testing

@testable import AsyncStoreTesting

@Suite("A schedule")
struct ScheduleTests {
  @Test("is read as it is printed", arguments: ["0:", "7:0/2", "7:0/2*14-1/3-w2/3-0/4*2", "18446744073709551615:9/10"])
  func roundTrip(text: String) throws {
    let schedule = try #require(Schedule(text))
    #expect(schedule.description == text)
    #expect(Schedule(schedule.description) == schedule)
  }

  @Test(
    "is not read from anything else",
    arguments: ["", "7", ":", "x:0/2", "7:2/2", "7:0/1", "7:0", "7:0/2*", "7:0/2*0", "7:-1/2", "7:0/2*1*1"])
  func malformed(text: String) { #expect(Schedule(text) == nil) }

  @Test("counts its choices and those out of the ordinary")
  func counts() throws {
    let schedule = try #require(Schedule("7:0/2*14-1/3-w2/3"))
    #expect(schedule.count == 16)
    #expect(schedule.switches == 2)
  }
}
