import AsyncStore
import Synchronization

/// A trace of a simulation, in order, for a viewer of Chrome's trace events such as Perfetto.
///
/// Each task, the main actor, each store's effects and the network have lanes of their own. The axis counts jobs, a
/// tenth of a millisecond each, because virtual time stands still while they run; the virtual time is among the
/// arguments. The trace marks each job that the schedule ran before one that became runnable earlier, and every other
/// non-default choice.
///
/// Source: "Trace Event Format", Google, 2016.
final class Trace: Sendable {
  fileprivate struct Lane: Hashable {
    /// The group of lanes, which a viewer shows as a process.
    let group: Group
    let name: String
  }

  fileprivate enum Group: Int, CaseIterable { case tasks = 1, effects, network }

  fileprivate struct State {
    var events: [String] = []
    var lanes: [Lane: Int] = [:]
    /// The names of tasks' lanes, by the tasks' numbers.
    var tasks: [UInt64: String] = [:]
    /// The numbers of the spans of the effects in flight.
    var effects: [EffectKey: Int] = [:]
    var effectCount = 0
    var jobCount = 0
    /// The number of events within the running job.
    var eventCount = 0
    /// The lane of the running job.
    var lane = 0
    /// The mark of the next job, if its choice is not the default.
    var nextMark: String?

    var isFull: Bool { events.count >= Trace.capacity }
    /// The position on the axis, in microseconds.
    var position: Int { jobCount * Trace.jobLength + min(eventCount, Trace.jobLength - 1) }
  }

  fileprivate struct EffectKey: Hashable {
    let lane: Lane
    let effect: UInt64
  }

  fileprivate static let capacity = 100_000
  fileprivate static let jobLength = 100
  fileprivate static let markColor = ",\"cname\":\"terrible\""

  private let state = Mutex(State())

  /// Records a choice made by the running job, or the choice of the next job.
  func note(_ choice: Schedule.Choice, at time: TestClock.Instant) {
    guard choice.index != 0 else { return }
    state.withLock { state in
      guard !state.isFull else { return }
      if choice.kind == .job { return state.nextMark = choice.mark }
      state.eventCount += 1
      state.addMark(choice.mark, "time: \(time)")
    }
  }

  /// Records that a job is running.
  ///
  /// - Parameter taskName: the name that the job's task was created with, if it is known.
  func run(_ job: RunnableJob, named taskName: String?, at time: TestClock.Instant) {
    state.withLock { state in
      guard !state.isFull else { return }
      state.jobCount += 1
      state.eventCount = 0
      let isActorJob = job.task >> 63 == 1
      let name = isActorJob ? "actors" : state.name(ofTask: job.task, taskName)
      state.lane = state.number(of: Lane(group: .tasks, name: job.isMain ? "main actor" : name))
      let color = state.nextMark == nil ? "" : Self.markColor
      state.add("X", name, .tasks, state.lane, ",\"dur\":\(Self.jobLength)\(color)", "time: \(time)")
      if let mark = state.nextMark { state.addMark(mark, "time: \(time)") }
      state.nextMark = nil
    }
  }

  /// Records an event of a store.
  func record(_ event: InstrumentEvent, of store: String, at time: TestClock.Instant) {
    state.withLock { state in
      guard !state.isFull else { return }
      let lane = Lane(group: .effects, name: store)
      let number = state.number(of: lane)
      state.eventCount += 1
      switch (event.kind, event.effect) {
      case (.begun, let record?):
        state.effectCount += 1
        state.effects[EffectKey(lane: lane, effect: record.id)] = state.effectCount
        state.addSpan("b", record, state.effectCount, number, "time: \(time)")
      case (.settled(let outcome), let record?):
        guard let span = state.effects.removeValue(forKey: EffectKey(lane: lane, effect: record.id)) else { return }
        state.addSpan("e", record, span, number, "time: \(time), \(outcome)")
      default:
        state.add("i", "\(event)", .effects, number, ",\"s\":\"t\"", "time: \(time)")
      }
    }
  }

  /// Records an event of a network.
  func note(_ line: String, at time: TestClock.Instant) {
    state.withLock { state in
      guard !state.isFull else { return }
      state.eventCount += 1
      let lane = state.number(of: Lane(group: .network, name: "network"))
      state.add("i", line, .network, lane, ",\"s\":\"t\"", "time: \(time)")
    }
  }

  /// The contents of the file.
  var json: String {
    state.withLock { state in
      let groups = Group.allCases.map {
        #"{"ph":"M","name":"process_name","pid":\#($0.rawValue),"args":{"name":"\#($0)"}}"#
      }
      let lanes = state.lanes.sorted { $0.value < $1.value }.map { lane, number in
        #"{"ph":"M","name":"thread_name","pid":\#(lane.group.rawValue),"tid":\#(number),"#
          + #""args":{"name":\#(lane.name.jsonQuoted)}}"#
      }
      return "{\"traceEvents\":[\n\((groups + lanes + state.events).joined(separator: ",\n"))\n]}\n"
    }
  }
}

extension Trace.State {
  fileprivate mutating func number(of lane: Trace.Lane) -> Int {
    if let number = lanes[lane] { return number }
    lanes[lane] = lanes.count + 1
    return lanes.count
  }

  fileprivate mutating func name(ofTask number: UInt64, _ taskName: String?) -> String {
    if let name = tasks[number] { return name }
    // The first task that runs is the body's.
    let name = tasks.isEmpty ? "the body" : "task \(tasks.count)\(taskName.map { " \($0.debugDescription)" } ?? "")"
    tasks[number] = name
    return name
  }

  /// - Parameter words: the viewer's text about the event.
  fileprivate mutating func add(
    _ phase: String, _ name: String, _ group: Trace.Group, _ lane: Int, _ more: String, _ words: String
  ) {
    events.append(
      #"{"ph":"\#(phase)","name":\#(name.jsonQuoted),"cat":"\#(group)","pid":\#(group.rawValue),"tid":\#(lane),"#
        + #""ts":\#(position)\#(more),"args":{"note":\#(words.jsonQuoted)}}"#)
  }

  /// Marks the current place across all lanes.
  fileprivate mutating func addMark(_ mark: String, _ words: String) {
    add("i", mark, .tasks, lane, ",\"s\":\"g\"\(Trace.markColor)", words)
  }

  fileprivate mutating func addSpan(_ phase: String, _ record: EffectRecord, _ span: Int, _ lane: Int, _ words: String)
  {
    add(phase, "\(record)", .effects, lane, ",\"id\":\(span)", words)
  }
}

extension Schedule.Choice {
  /// The mark for a non-default choice.
  fileprivate var mark: String {
    switch kind {
    case .job: "switch: job \(index + 1) of \(count)"
    case .wake: "wakes late: \(index) of \(count - 1)"
    case .fault: "fault: outcome \(index + 1) of \(count)"
    }
  }
}
