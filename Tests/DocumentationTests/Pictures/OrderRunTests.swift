import Foundation
import Testing

/// Draws an order of the sample as it was recorded: `orders --demo 3 --trace orders.jsonl`, and of that one tree.
@Suite("The run of an order")
struct OrderRunTests {
  /// An event, as a line of a trace has it.
  private struct Event: Decodable {
    let ns: Int
    let event: String
    let effect: Int
    let kind: String
    let label: String?
    let location: String
    let note: String?
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Benchmarks/order.jsonl")

  @Test("The picture of a recorded order shows each attempt of each step, and what was undone")
  func order() throws {
    let events = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    let steps = ["reserve", "charge", "ship"].map { row($0, as: .run, in: events) }
    let undone = ["recall", "refund", "release"].map { row($0, as: .cleanup, in: events) }
    #expect((steps + undone).allSatisfy { !$0.marks.isEmpty })
    let timeline = Timeline(
      [Timeline.Panel(title: "", rows: steps + undone)],
      legend: [
        (.run, "an attempt"), (.wait, "backs off"), (.cross, "has failed, or its time was over"), (.cleanup, "undoes"),
      ], span: .milliseconds(800), step: .milliseconds(100), left: 80)
    try PictureFile("OrderRun", of: "AsyncStore").check { timeline.svg($0) }
  }

  /// The attempts of a step, with the delays between them.
  private func row(_ label: String, as kind: Timeline.Mark.Kind, in events: [Event]) -> Timeline.Row {
    let start = events[0].ns
    let own = events.filter { $0.label == label && $0.kind == "task" }
    // The effect that follows a time limit has the label too, but is written elsewhere.
    let begun = own.filter { $0.event == "begun" && $0.location == own[0].location }
    var marks: [Timeline.Mark] = []
    for begin in begun {
      guard let end = own.first(where: { $0.event == "settled" && $0.effect == begin.effect }) else { continue }
      let (from, to) = (Duration.nanoseconds(begin.ns - start), Duration.nanoseconds(end.ns - start))
      if let last = marks.last { marks.append(Timeline.Mark(kind: .wait, begin: last.end ?? last.begin, end: from)) }
      marks.append(Timeline.Mark(kind: kind, begin: from, end: to))
      if end.note != "finished" { marks.append(Timeline.Mark(kind: .cross, begin: to, end: to)) }
    }
    return Timeline.Row(name: label, marks: marks)
  }
}
