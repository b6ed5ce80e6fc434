import Testing

@testable import Dupes

@Suite("The meter")
struct MeterTests {
  private static let file = FileIdentity(device: 1, inode: 1)

  private static func progress(_ phase: Progress.Phase, _ bytes: Int, of total: Int) -> Progress {
    var progress = Progress()
    progress.begin(phase, toRead: .init(files: 10, bytes: total))
    progress.begin(file)
    progress.advance(file, by: bytes)
    return progress
  }

  @Test("The meter knows no rate and no remaining time before the first measurement")
  func unknown() {
    var meter = Meter()
    meter.follow(Self.progress(.comparingContents, 0, of: 100))
    #expect(meter.rate == nil)
    #expect(meter.timeLeft == nil)
    #expect(meter.share == 0)
  }

  @Test("The meter measures bytes per second and estimates when all of them will be read")
  func rate() {
    var meter = Meter()
    for second in 0...4 {
      meter.follow(Self.progress(.comparingContents, second * 1000, of: 10_000))
      meter.measure(at: .seconds(second))
    }
    #expect(meter.rate == 1000)
    #expect(meter.timeLeft == .seconds(6))
    #expect(meter.share == 0.4)
    #expect(
      meter.line(barWidth: 10)
        == "Comparing contents  ████        40%  0 of 10 files, 3.9 KiB of 9.8 KiB  1000 B/s  0:06 left")
  }

  @Test("The meter starts anew with each phase")
  func phases() {
    var meter = Meter()
    meter.follow(Self.progress(.comparingBeginnings, 5000, of: 10_000))
    meter.measure(at: .seconds(100))
    meter.follow(Self.progress(.comparingContents, 0, of: 10_000))
    #expect(meter.rate == nil)
    meter.follow(Self.progress(.comparingContents, 500, of: 10_000))
    meter.measure(at: .seconds(101))
    #expect(meter.rate == 500)
  }

  @Test("The meter computes its rate from the last fifty measurements")
  func window() {
    var meter = Meter()
    for second in 1...100 {
      meter.follow(Self.progress(.comparingContents, second <= 50 ? 0 : (second - 50) * 100, of: 10_000))
      meter.measure(at: .seconds(second))
    }
    #expect(meter.rate == 100)
  }

  @Test("The meter shows a rate of zero and no remaining time when a file starts again")
  func standstill() {
    var meter = Meter()
    meter.follow(Self.progress(.comparingContents, 1000, of: 10_000))
    meter.measure(at: .seconds(1))
    meter.follow(Self.progress(.comparingContents, 0, of: 10_000))
    meter.measure(at: .seconds(2))
    #expect(meter.timeLeft == nil)
    #expect(meter.line(barWidth: 0) == "Comparing contents  0%  0 of 10 files, 0 B of 9.8 KiB  0 B/s")
  }

  @Test("The meter counts what the walk finds")
  func walking() {
    var progress = Progress()
    progress.found = .init(files: 300, bytes: 2048)
    progress.folders = 7
    var meter = Meter()
    meter.follow(progress)
    meter.measure(at: .seconds(2))
    #expect(meter.share == nil)
    #expect(meter.line(barWidth: 10) == "Looking for files  300 files in 7 folders, 2.0 KiB  150 files/s")
    progress.problems = 3
    meter.follow(progress)
    #expect(meter.line(barWidth: 10).hasSuffix("150 files/s  3 could not be read"))
  }

  @Test(
    "The meter writes times as a clock does",
    arguments: [(0, "0:00"), (0.1, "0:01"), (59, "0:59"), (65, "1:05"), (3600, "1:00:00"), (7265, "2:01:05")])
  func times(seconds: Double, text: String) {
    #expect(Duration.seconds(seconds).text == text)
  }
}
