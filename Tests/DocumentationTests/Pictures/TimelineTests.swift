import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Timelines")
struct TimelineTests {
  typealias Entry = RunRecorder.Entry
  typealias Mark = Timeline.Mark

  // MARK: Policies

  @Test("The timeline of policies shows three calls under one identifier for each policy")
  func policies() async throws {
    let policies: [(name: String, policy: IdentifierPolicy)] = [
      (".replace", .replace), (".replaceAfterCleanup", .replaceAfterCleanup), (".keepFirst", .keepFirst),
      (".queue()", .queue()), (".atMost(2)", .atMost(2)),
    ]
    var panels: [Timeline.Panel] = []
    for (name, policy) in policies { panels.append(panel(name, of: "call", try await calls(under: policy))) }
    let legend: [(Mark.Kind, String)] = [
      (.point, "call"), (.wait, "waits"), (.run, "runs"), (.cleanup, "cleans up"), (.cross, "is cancelled"),
    ]
    let timeline = Timeline(panels, legend: legend, span: .seconds(12), step: .seconds(1), left: 80)
    try PictureFile("Policies", of: "AsyncStore").check { timeline.svg($0) }
  }

  /// Three effects of three seconds, each with a cleanup of one, received under one identifier.
  private func calls(under policy: IdentifierPolicy) async throws -> [Entry] {
    try await simulate { simulation in
      let recorder = RunRecorder(simulation.clock)
      let store = simulation.store(Counter(), env: UserService(), instrument: recorder)
      for (label, moment) in [("1", 0.0), ("2", 1), ("3", 1.5)] {
        await simulation.clock.advance(to: .init(offset: .seconds(moment)))
        let cleanup = CounterStore.Effect.sleep(.seconds(1)).label("cleanup of \(label)")
        recorder.call(
          label, store, .sleep(.seconds(3)).label(label).finally(cleanup).id("save", policy))
      }
      await simulation.clock.run()
      return recorder.entries
    }
  }

  /// A panel of three rows, of the effects labelled 1 to 3.
  private func panel(_ title: String, of kind: String, _ entries: [Entry]) -> Timeline.Panel {
    Timeline.Panel(
      title: title,
      rows: (1...3).map { Timeline.Row(name: "\(kind) \($0)", marks: marks(of: "\($0)", in: entries)) })
  }

  private func marks(of label: String, in entries: [Entry]) -> [Mark] {
    guard let call = entries.first(.called, label) else { return [] }
    var marks: [Mark] = []
    if let begun = entries.first(.begun, label), let ended = entries.first(.ended, label) {
      marks.append(Mark(kind: .wait, begin: call.time, end: begun.time))
      marks.append(Mark(kind: .run, begin: begun.time, end: ended.time))
      if let cleanup = entries.first(.begun, "cleanup of \(label)") {
        let end = entries.first(.ended, "cleanup of \(label)")
        marks.append(Mark(kind: .cleanup, begin: cleanup.time, end: end?.time))
      }
      if ended.outcome?.isCancelled == true { marks.append(Mark(kind: .cross, begin: ended.time)) }
    } else if let over = entries.first(.ended, "handle of \(label)") {
      marks.append(Mark(kind: .wait, begin: call.time, end: over.time))
      if over.outcome?.isCancelled == true { marks.append(Mark(kind: .cross, begin: over.time)) }
      marks.append(Mark(kind: .note, begin: over.time, words: over.outcome.map { "\($0)" } ?? ""))
    }
    return marks.filter { $0.end != $0.begin } + [Mark(kind: .point, begin: call.time)]
  }

  // MARK: Strategies

  @Test("The timeline of strategies shows the effects of three values for each strategy")
  func strategies() async throws {
    let strategies: [(name: String, strategy: StreamStrategy)] = [
      (".each", .each), (".latest", .latest), (".serial", .serial),
    ]
    var panels: [Timeline.Panel] = []
    for (name, strategy) in strategies { panels.append(panel(name, of: "value", try await values(by: strategy))) }
    let legend: [(Mark.Kind, String)] = [
      (.point, "value"), (.wait, "waits"), (.run, "its effect runs"), (.cross, "is cancelled"),
    ]
    let timeline = Timeline(panels, legend: legend, span: .seconds(7), step: .seconds(1), left: 80)
    try PictureFile("Strategies", of: "AsyncStore").check { timeline.svg($0) }
  }

  /// A stream of three values, each with an effect of two seconds.
  private func values(by strategy: StreamStrategy) async throws -> [Entry] {
    try await simulate { simulation in
      let recorder = RunRecorder(simulation.clock)
      let store = simulation.store(Counter(), env: UserService(), instrument: recorder)
      let (values, source) = AsyncStream.makeStream(of: String.self)
      store.receive(
        .stream(values, strategy: strategy) { value in CounterStore.Effect.sleep(.seconds(2)).label(value) })
      for (value, moment) in [("1", 0.0), ("2", 1), ("3", 1.5)] {
        await simulation.clock.advance(to: .init(offset: .seconds(moment)))
        recorder.add(.called, value)
        source.yield(value)
      }
      source.finish()
      await simulation.clock.run()
      return recorder.entries
    }
  }

  // MARK: Rates

  @Test("The timeline of rates shows the same calls debounced and throttled")
  func rates() async throws {
    let ways: [(name: String, limit: @Sendable (CounterStore.Effect) -> CounterStore.Effect)] = [
      ("debounce(for: 0.3 s)", { $0.debounce(for: .milliseconds(300), id: "rate") }),
      ("throttle(for: 0.5 s), leading", { $0.throttle(for: .milliseconds(500), id: "rate", edges: .leading) }),
      ("throttle(for: 0.5 s), trailing", { $0.throttle(for: .milliseconds(500), id: "rate", edges: .trailing) }),
      ("throttle(for: 0.5 s), both", { $0.throttle(for: .milliseconds(500), id: "rate") }),
    ]
    var rows: [Timeline.Row] = []
    for (name, limit) in ways {
      let entries = try await burst(limit)
      if rows.isEmpty { rows.append(row("calls", .called, entries)) }
      rows.append(row(name, .committed, entries))
    }
    let timeline = Timeline(
      [Timeline.Panel(title: "", rows: rows)], legend: [], span: .milliseconds(2_400), step: .milliseconds(400),
      left: 220)
    try PictureFile("DebounceAndThrottle", of: "AsyncStore").check { timeline.svg($0) }
  }

  private func row(_ name: String, _ kind: Entry.Kind, _ entries: [Entry]) -> Timeline.Row {
    Timeline.Row(
      name: name,
      marks: entries.filter { $0.kind == kind }.map { Mark(kind: .point, begin: $0.time, words: $0.label) })
  }

  private func burst(_ limit: @escaping @Sendable (CounterStore.Effect) -> CounterStore.Effect) async throws -> [Entry]
  {
    try await simulate { simulation in
      let recorder = RunRecorder(simulation.clock)
      let store = simulation.store(Counter(), env: UserService(), instrument: recorder)
      let calls = [("a", 0), ("b", 150), ("c", 300), ("d", 450), ("e", 1_100), ("f", 1_250), ("g", 1_800)]
      for (label, moment) in calls {
        await simulation.clock.advance(to: .init(offset: .milliseconds(moment)))
        recorder.call(label, store, limit(.append(label, to: \.items).label(label)))
      }
      await simulation.clock.run()
      return recorder.entries
    }
  }

  // MARK: The barrier

  @Test("The timeline of a cancel shows that nothing under its identifier commits after it")
  func barrier() async throws {
    let entries = try await cancelledUpload()
    let cancel = try #require(entries.first(.called, "cancel")).time
    let operation = try #require(entries.first(.begun, "operation"))
    let returned = try #require(entries.first(.ended, "operation"))
    let settled = try #require(entries.first(.ended, "handle of upload"))
    #expect(entries.times(.cancelled, "operation") == [cancel])
    #expect(entries.times(.committed, "timer").allSatisfy { $0 < cancel })
    let outcome = try #require(settled.outcome)
    let rows = [
      Timeline.Row(
        name: "upload: timer",
        marks: entries.times(.committed, "timer").map { Mark(kind: .point, begin: $0) } + [
          Mark(kind: .cross, begin: cancel)
        ]),
      Timeline.Row(
        name: "upload: operation",
        marks: [
          Mark(kind: .run, begin: operation.time, end: cancel),
          Mark(kind: .cleanup, begin: cancel, end: returned.time),
          Mark(kind: .note, begin: returned.time, words: "its result is dropped"),
        ]),
      Timeline.Row(
        name: "upload: handle",
        marks: [
          Mark(kind: .wait, begin: .zero, end: settled.time),
          Mark(kind: .note, begin: settled.time, words: "settles, \(outcome)"),
        ]),
      Timeline.Row(
        name: "another timer", marks: entries.times(.committed, "other").map { Mark(kind: .point, begin: $0) }),
    ]
    let panel = Timeline.Panel(title: "", rows: rows, line: (cancel, "cancel(\"upload\") returns"))
    let legend: [(Mark.Kind, String)] = [
      (.point, "commit"), (.run, "runs"), (.cleanup, "was asked to end, runs on"), (.wait, "has not settled"),
    ]
    let timeline = Timeline([panel], legend: legend, span: .seconds(7), step: .seconds(1), left: 140)
    try PictureFile("Barrier", of: "AsyncStore").check { timeline.svg($0) }
  }

  private func cancelledUpload() async throws -> [Entry] {
    try await simulate { simulation in
      let recorder = RunRecorder(simulation.clock)
      let store = simulation.store(Counter(), env: UserService(), instrument: recorder)
      let second = Duration.seconds(1)
      let upload = CounterStore.Effect.merge(
        .timer(second, id: "progress") { _ in .set { $0.count += 1 } }.label("timer"),
        .task {
          // It ignores its cancellation.
          await Task { try? await simulation.clock.sleep(for: second * 4.8) }.value
          return .set(\.message, to: "uploaded")
        }.label("operation"))
      recorder.call("upload", store, upload.id("upload"))
      store.receive(.timer(second, id: "clock") { _ in .set { $0.count += 1 } }.label("other"))
      await simulation.clock.advance(by: second * 2.5)
      recorder.call("cancel", store, .cancel("upload"))
      await simulation.clock.advance(by: second * 4)
      store.receive(.cancel("clock"))
      return recorder.entries
    }
  }
}
