import Testing

@testable import HostWatch

@Suite("The load's reading")
struct LoadTests {
  @Test("A load reading has the three averages of /proc/loadavg")
  func reading() throws {
    let reading = try LoadReading(procLoadavg: "0.04 0.14 1.01 1/83 3017\n")
    #expect(reading == LoadReading(oneMinute: 0.04, fiveMinutes: 0.14, fifteenMinutes: 1.01))
  }

  @Test(
    "An error names the line of /proc/loadavg that can't be read",
    arguments: [
      ("", "/proc/loadavg: it is empty"),
      ("0.04 0.14", "/proc/loadavg:1: there are 2 fields, and field 3 is missing"),
      ("0.04 nan 1.01", "/proc/loadavg:1: field 2 is \"nan\", not a number"),
      ("-1 0 0", "/proc/loadavg:1: field 1 is \"-1\", not a number"),
    ]
  )
  func malformed(text: String, message: String) {
    let error = #expect(throws: HostError.self) { try LoadReading(procLoadavg: text) }
    #expect(error?.description == message)
  }
}
