import Testing

@testable import HostWatch

@Suite("The memory's reading")
struct MemoryTests {
  @Test("A memory reading is in bytes and counts what is not available as used")
  func reading() throws {
    let reading = try MemoryReading(
      procMeminfo: """
        MemTotal:       24684092 kB
        MemFree:        24159052 kB
        MemAvailable:   24384948 kB
        Buffers:             848 kB
        Cached:           431636 kB
        SwapCached:            0 kB
        SwapTotal:       2097148 kB
        SwapFree:        1048574 kB
        HugePages_Total:       0
        """)
    #expect(reading.total == 24_684_092 * 1024)
    #expect(reading.used == (24_684_092 - 24_384_948) * 1024)
    #expect(reading.swapUse == 0.5)
  }

  @Test("A memory reading estimates the available memory if an old kernel does not report it")
  func oldKernel() throws {
    let reading = try MemoryReading(procMeminfo: "MemTotal: 100 kB\nMemFree: 20 kB\nBuffers: 5 kB\nCached: 15 kB\n")
    #expect(reading.use == 0.6)
    #expect(reading.swapUse == 0)
  }

  @Test("Memory use is never below zero, whatever the kernel reports as available")
  func nonsense() {
    #expect(MemoryReading(total: 10, available: 20).use == 0)
    #expect(MemoryReading(total: 0, available: 0).use == 0)
  }

  @Test(
    "An error names the line of /proc/meminfo that can't be read",
    arguments: [
      ("MemTotal: many kB", "/proc/meminfo:1: field 2 is \"many\", not a count"),
      ("MemFree: 1 kB\n\nMemTotal:", "/proc/meminfo:3: there are 1 fields, and field 2 is missing"),
      ("MemTotal: 18446744073709551615 kB", "/proc/meminfo:1: field 2 is 18446744073709551615, too large"),
      ("MemFree: 1 kB", "/proc/meminfo: there is no line \"MemTotal:\""),
    ]
  )
  func malformed(text: String, message: String) {
    let error = #expect(throws: HostError.self) { try MemoryReading(procMeminfo: text) }
    #expect(error?.description == message)
  }
}
