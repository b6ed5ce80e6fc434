import Foundation

/// A reader of traces that refuses what the "Trace Event Format" (Google, 2016) does not allow.
///
/// Viewers are lenient: they leave out what they don't understand, without a word. This one throws.
struct StrictTraceReader {
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  struct Slice {
    let name: String
    let category: String
    let process: Int
    let start: Double
    var end: Double?
  }

  struct Flow {
    let from: Slice
    let to: Slice
  }

  private(set) var processNames: [Int: String] = [:]
  private(set) var slices: [Slice] = []
  private(set) var flows: [Flow] = []
  private(set) var instants: [String] = []
  /// The slices that are open, the innermost last, by category and identifier.
  private var open: [String: [Int]] = [:]
  /// The slices that flows lead out of, until they have arrived.
  private var departed: [String: Int] = [:]
  private var threads: Set<[Int]> = []

  /// The fields of an event beside `ph`, `name`, `pid`, `tid`, `ts` and `args`, by phase.
  private static let fields: [String: Set<String>] = [
    "M": [], "i": ["cat", "s"], "b": ["cat", "id", "bind_id", "flow_in"], "e": ["cat", "id"],
    "n": ["cat", "id", "bind_id", "flow_out"],
  ]

  init(_ json: String) throws {
    guard let trace = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
      let events = trace["traceEvents"] as? [[String: Any]]
    else { throw Fault(description: "no object with traceEvents") }
    try check(Set(trace.keys).isSubset(of: ["traceEvents", "displayTimeUnit", "otherData"]), "\(trace.keys)")
    try check(["ms", "ns"].contains(trace["displayTimeUnit"] as? String), "the unit is ms or ns")
    try check(trace["otherData"] is [String: Any], "other data is an object")
    for event in events { try read(event) }
    try check(departed.isEmpty, "a flow arrives nowhere")
  }

  /// The slices that have not ended.
  var openCount: Int { slices.count { $0.end == nil } }

  private func check(_ condition: Bool, _ fault: @autoclosure () -> String) throws {
    if !condition { throw Fault(description: fault()) }
  }

  private mutating func read(_ event: [String: Any]) throws {
    let phase = try text("ph", of: event)
    guard let allowed = Self.fields[phase] else { throw Fault(description: "the phase \(phase)") }
    let common: Set = ["ph", "name", "pid", "tid", "ts", "args"]
    try check(Set(event.keys).isSubset(of: common.union(allowed)), "\(event) has a field of another phase")
    try check(event["args"] is [String: Any], "\(event) has arguments that are no object")
    let (name, thread) = (try text("name", of: event), [try number("pid", of: event), try number("tid", of: event)])
    if phase == "M" { return try readMetadata(name, event, thread) }
    try check(threads.contains(thread), "\(event) is on a thread without a name")
    // In microseconds; a fraction is allowed.
    guard let time = event["ts"] as? Double, time.isFinite else { throw Fault(description: "\(event) has no time") }
    try check(!name.isEmpty, "\(event) has an empty name")
    if phase == "i" {
      try check(["t", "p", "g"].contains(event["s"] as? String), "\(event) has no scope")
      return instants.append(name)
    }
    let category = try text("cat", of: event)
    try readAsync(phase, name, category, try text("id", of: event), thread[0], time, event)
  }

  private mutating func readMetadata(_ name: String, _ event: [String: Any], _ thread: [Int]) throws {
    guard let value = (event["args"] as? [String: Any])?["name"] as? String, !value.isEmpty else {
      throw Fault(description: "\(event) names nothing")
    }
    switch name {
    case "process_name":
      try check(processNames.updateValue(value, forKey: thread[0]) == nil, "process \(thread[0]) has two names")
    case "thread_name":
      try check(processNames[thread[0]] != nil, "\(event) is in a process without a name")
      try check(threads.insert(thread).inserted, "thread \(thread) has two names")
    default: throw Fault(description: "the metadata \(name)")
    }
  }

  /// Reads a nestable asynchronous event: those of one category and identifier are a tree.
  private mutating func readAsync(
    _ phase: String, _ name: String, _ category: String, _ id: String, _ process: Int, _ time: Double,
    _ event: [String: Any]
  ) throws {
    let tree = "\(category) \(id)"
    let parent = open[tree]?.last
    if let parent {
      try check(slices[parent].process == process, "\(event) is in another process than its tree")
      try check(slices[parent].start <= time, "\(event) is earlier than what it is inside of")
    }
    switch phase {
    case "b":
      slices.append(Slice(name: name, category: category, process: process, start: time))
      open[tree, default: []].append(slices.count - 1)
      if event["bind_id"] != nil { try readFlow(event, isOut: false, slices.count - 1) }
    case "e":
      guard let parent, slices[parent].name == name else { throw Fault(description: "\(event) ends no slice") }
      slices[parent].end = time
      open[tree]?.removeLast()
    default:
      guard let parent else { throw Fault(description: "\(event) is inside of no slice") }
      try readFlow(event, isOut: true, parent)
    }
  }

  private mutating func readFlow(_ event: [String: Any], isOut: Bool, _ slice: Int) throws {
    let id = try text("bind_id", of: event)
    try check(id.hasPrefix("0x") && UInt64(id.dropFirst(2), radix: 16) != nil, "\(id) is no hexadecimal number")
    try check(event[isOut ? "flow_out" : "flow_in"] as? Bool == true, "\(event) binds a flow without a direction")
    if isOut {
      try check(departed.updateValue(slice, forKey: id) == nil, "the flow \(id) departs twice")
    } else {
      guard let from = departed.removeValue(forKey: id) else { throw Fault(description: "\(id) never departed") }
      flows.append(Flow(from: slices[from], to: slices[slice]))
    }
  }

  private func text(_ field: String, of event: [String: Any]) throws -> String {
    guard let text = event[field] as? String else { throw Fault(description: "\(event) has no text \(field)") }
    return text
  }

  private func number(_ field: String, of event: [String: Any]) throws -> Int {
    guard let number = event[field] as? Int, number > 0 else { throw Fault(description: "\(event) has no \(field)") }
    return number
  }
}
