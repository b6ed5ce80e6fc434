import AsyncStore
import AsyncStoreTesting
import Synchronization
import Testing

@Suite("The trace of an order")
struct OrderTraceTests {
  typealias Effect = CounterStore.Effect
  typealias Entry = RunRecorder.Entry
  typealias Mark = Timeline.Mark

  private struct Refused: Error {}
  private struct TimedOut: Error {}

  @Test("The trace of an order shows its attempts, its limits in time, and what is undone when a step is refused")
  func order() async throws {
    let entries = try await run()
    let (steps, undoing) = (["reserve", "charge", "ship"], ["refund", "release"])
    let rows =
      steps.map { Timeline.Row(name: $0, marks: marks(of: $0, as: .run, in: entries)) }
      + undoing.map { Timeline.Row(name: $0, marks: marks(of: $0, as: .cleanup, in: entries)) }
    let legend: [(Mark.Kind, String)] = [
      (.run, "an attempt"), (.wait, "backs off"), (.cross, "has failed, or its time was over"), (.cleanup, "undoes"),
    ]
    let timeline = Timeline(
      [Timeline.Panel(title: "", rows: rows)], legend: legend, span: .seconds(10), step: .seconds(1), left: 80)
    try PictureFile("OrderTrace", of: "AsyncStore").check { timeline.svg($0) }
  }

  /// An order whose second step hangs once and fails once, and whose third step is refused.
  private func run() async throws -> [Entry] {
    try await simulate { simulation in
      let recorder = RunRecorder(simulation.clock)
      let store = simulation.store(Counter(), env: UserService(), instrument: recorder)
      let attempts = Mutex(0)
      let charge = Effect.task {
        let number = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        if number == 1 { try await simulation.clock.hang() }
        try await simulation.clock.sleep(for: .seconds(1))
        if number == 2 { throw Refused() }
        return .none
      }
      let ship = Effect.task {
        try await simulation.clock.sleep(for: .seconds(1))
        throw Refused()
      }
      func call(_ name: String, _ seconds: Double) -> Effect {
        Effect.task {
          try await simulation.clock.sleep(for: .seconds(seconds))
          return .none
        }.label(name)
      }
      await store.run(
        .sequence(
          call("reserve", 1).compensate(with: call("release", 0.5)),
          charge.timeout(.seconds(2), else: Effect.task { throw TimedOut() }.label("too late")).label("charge")
            .retry(.exponential(first: .milliseconds(500))).compensate(with: call("refund", 1)),
          ship.label("ship")
        )
        .recover { _ in .none })
      return recorder.entries
    }
  }

  /// The attempts of a step, with the delays between them.
  private func marks(of label: String, as kind: Mark.Kind, in entries: [Entry]) -> [Mark] {
    let begun = entries.times(.begun, label)
    let ends = entries.filter { $0.kind == .ended && $0.label == label }
    var marks: [Mark] = []
    for (index, (begin, end)) in zip(begun, ends).enumerated() {
      if index > 0 { marks.append(Mark(kind: .wait, begin: ends[index - 1].time, end: begin)) }
      marks.append(Mark(kind: kind, begin: begin, end: end.time))
      if end.outcome?.isFinished != true { marks.append(Mark(kind: .cross, begin: end.time)) }
    }
    return marks
  }
}
