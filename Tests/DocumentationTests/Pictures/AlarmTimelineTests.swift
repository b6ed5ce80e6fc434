import AsyncStore
import AsyncStoreTesting
import Synchronization
import Testing

@Suite("The alarm's timeline")
struct AlarmTimelineTests {
  typealias Mark = Timeline.Mark

  @Test("The alarm's timeline shows one task that sleeps for three effects")
  func alarm() async throws {
    let (entries, sleeps) = try await threeSleeps()
    #expect(sleeps.map(\.begin) == [.zero, .seconds(1), .seconds(3), .seconds(5)])
    #expect(sleeps.filter(\.isCancelled).map(\.end) == [.seconds(1)])
    var rows = ["a", "b", "c"].map { label in Timeline.Row(name: "sleep \(label)", marks: marks(of: label, entries)) }
    let bars = sleeps.map { Mark(kind: .cleanup, begin: $0.begin, end: $0.end) }
    let ends = sleeps.map { Mark(kind: $0.isCancelled ? .cross : .point, begin: $0.end) }
    rows.append(Timeline.Row(name: "alarm", marks: bars + ends))
    let legend: [(Mark.Kind, String)] = [(.cleanup, "sleeps"), (.point, "wakes up"), (.cross, "is cancelled")]
    let timeline = Timeline(
      [Timeline.Panel(title: "", rows: rows)], legend: legend, span: .seconds(8), step: .seconds(1), left: 80)
    try PictureFile("Alarm", of: "AsyncStore").check { timeline.svg($0) }
  }

  private func marks(of label: String, _ entries: [RunRecorder.Entry]) -> [Mark] {
    guard let begun = entries.first(.begun, label), let ended = entries.first(.ended, label) else { return [] }
    let kind = ended.outcome?.isCancelled == true ? Mark.Kind.cross : .point
    return [Mark(kind: .cleanup, begin: begun.time, end: ended.time), Mark(kind: kind, begin: ended.time)]
  }

  /// Runs three sleeps: the second is due before the first, the third after it, and the second is cancelled.
  private func threeSleeps() async throws -> (entries: [RunRecorder.Entry], sleeps: [SleepRecorder.Sleep]) {
    try await simulate { simulation in
      let (recorder, clock) = (RunRecorder(simulation.clock), SleepRecorder(simulation.clock))
      let store = CounterStore(
        state: Counter(), env: UserService(), clock: clock, executor: simulation.executor, instrument: recorder)
      simulation.watch(store)
      store.receive(.sleep(.seconds(5)).label("a"))
      await simulation.clock.advance(by: .seconds(1))
      store.receive(.sleep(.seconds(2)).label("b").id("b"))
      await simulation.clock.advance(by: .milliseconds(500))
      store.receive(.sleep(.seconds(6)).label("c"))
      await simulation.clock.advance(by: .milliseconds(500))
      store.receive(.cancel("b"))
      await simulation.clock.run()
      return (recorder.entries, clock.sleeps)
    }
  }
}

/// A clock that records the sleeps on it.
private final class SleepRecorder: Clock {
  struct Sleep {
    let begin: Duration
    let end: Duration
    let isCancelled: Bool
  }

  private let clock: TestClock
  private let recorded = Mutex<[Sleep]>([])

  init(_ clock: TestClock) { self.clock = clock }

  /// The sleeps that have ended, in the order in which they began.
  var sleeps: [Sleep] { recorded.withLock { $0.sorted { $0.begin < $1.begin } } }

  var now: TestClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    let begin = now.offset
    defer {
      let sleep = Sleep(begin: begin, end: now.offset, isCancelled: now < deadline)
      recorded.withLock { $0.append(sleep) }
    }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
