import Testing

@testable import HostWatch

@Suite("The processor's counters")
struct ProcessorTests {
  static let earlier = """
    cpu  2454 0 1695 461851 359 0 16 11 0 0
    cpu0 913 0 876 231234 4 0 6 5 0 0
    cpu1 1541 0 819 230616 354 0 9 5 0 0
    intr 102418 0 0 0 0 0 0 0 0
    ctxt 183921
    btime 1795247545
    processes 3021
    procs_running 1
    softirq 61923 0 12734 5 4433 4556 0 6 21530 0 18659
    """

  @Test("The processor's counters are busy and idle ticks, and waiting for a disk counts as idle")
  func ticks() throws {
    let counters = try ProcessorCounters(procStat: Self.earlier)
    #expect(counters.total == .init(busy: 2454 + 1695 + 16 + 11, idle: 461_851 + 359))
    #expect(counters.cores.keys.sorted() == [0, 1])
    #expect(counters.cores[1] == .init(busy: 1541 + 819 + 9 + 5, idle: 230_616 + 354))
  }

  @Test("The processor's use between two readings is computed core by core")
  func use() throws {
    let later = """
      cpu  2529 0 1695 461976 359 0 16 11 0 0
      cpu0 988 0 876 231259 4 0 6 5 0 0
      cpu1 1541 0 819 230716 354 0 9 5 0 0
      """
    let use = try ProcessorCounters(procStat: later).use(since: ProcessorCounters(procStat: Self.earlier))
    #expect(use == ProcessorUse(total: 0.375, cores: [0.75, 0]))
  }

  @Test("The processor's use is never below zero, even if the kernel takes ticks back")
  func backwards() throws {
    let earlier = ProcessorCounters(total: .init(busy: 10, idle: 100), cores: [0: .init(busy: 10, idle: 100)])
    let later = ProcessorCounters(total: .init(busy: 9, idle: 98), cores: [3: .init(busy: 5, idle: 5)])
    #expect(later.use(since: earlier) == ProcessorUse(total: 0, cores: [0]))
  }

  @Test("The processor's counters can be read from old kernels, which count four kinds of time")
  func oldKernel() throws {
    let counters = try ProcessorCounters(procStat: "cpu 1 2 3 4\ncpufreq 7\n")
    #expect(counters == ProcessorCounters(total: .init(busy: 6, idle: 4)))
  }

  @Test(
    "An error names the line of /proc/stat that can't be read",
    arguments: [
      ("cpu  1 2 3 4\ncpu0 1 x 3 4", "/proc/stat:2: field 3 is \"x\", not a count"),
      ("cpu  1 2 3", "/proc/stat:1: there are 4 fields, and field 5 is missing"),
      ("cpu  1 -2 3 4", "/proc/stat:1: field 3 is \"-2\", not a count"),
      ("intr 1 2 3", "/proc/stat: there is no line \"cpu\""),
      ("", "/proc/stat: there is no line \"cpu\""),
    ]
  )
  func malformed(text: String, message: String) {
    let error = #expect(throws: HostError.self) { try ProcessorCounters(procStat: text) }
    #expect(error?.description == message)
    #expect(error?.code == .malformed)
  }
}
