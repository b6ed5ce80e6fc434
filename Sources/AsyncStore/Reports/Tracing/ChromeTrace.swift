/// The writer of a trace in Chrome's format.
struct ChromeTrace {
  private struct Slice: Hashable {
    let process: Int
    let category: TraceEntry.Category
    let effect: UInt64
  }

  private struct Beginning {
    let name: String
    let nanoseconds: Int64
  }

  /// The lane of the marks in each process.
  private static let marks = 1

  private var lines: [String] = []
  private var processes: [StoreIdentity: Int] = [:]
  private var stores: [StoreIdentity] = []
  private var open: [Slice: Beginning] = [:]
  private var flowCount = 0
  /// The flows to trees that were lifted and of which nothing has begun, by the tree's process and number.
  private var flowsToTrees: [Slice: Int] = [:]

  mutating func add(_ entry: TraceEntry) {
    let process = process(of: entry.store)
    guard let effect = entry.effect else { return mark(entry, in: process) }
    let slice = Slice(process: process, category: entry.category, effect: effect.id)
    switch entry.phase {
    case .begin:
      let name = entry.category == .wait ? "waits: \(effect.name)" : effect.name
      let flow = entry.category == .effect ? flow(to: effect, at: entry.nanoseconds, in: process) : nil
      open[slice] = Beginning(name: name, nanoseconds: entry.nanoseconds)
      write("b", name, slice, at: entry.nanoseconds, entry.arguments, flow.map { .into($0) })
    case .end:
      // The event of the beginning may have been dropped.
      guard let begun = open.removeValue(forKey: slice) else { return }
      // A deadline's effects happen at the deadline, which may precede the beginning if the alarm was late.
      write("e", begun.name, slice, at: max(begun.nanoseconds, entry.nanoseconds), entry.arguments)
    case .mark:
      if let origin = entry.origin {
        let lift = Slice(process: self.process(of: origin.store), category: .effect, effect: origin.effect)
        let tree = Slice(process: process, category: .effect, effect: effect.tree)
        flowsToTrees[tree] = flow(from: lift, to: effect, at: entry.nanoseconds)
      }
      mark(entry, in: process)
    }
  }

  /// Marks where the effect begins, on the slice of the effect's parent.
  ///
  /// - Returns: the number of the flow from there; `nil` if the parent has no slice.
  private mutating func flow(to effect: TraceEntry.Effect, at nanoseconds: Int64, in process: Int) -> Int? {
    let tree = Slice(process: process, category: .effect, effect: effect.tree)
    if let flow = flowsToTrees.removeValue(forKey: tree) { return flow }
    guard let parent = effect.parent else { return nil }
    return flow(from: Slice(process: process, category: .effect, effect: parent), to: effect, at: nanoseconds)
  }

  private mutating func flow(from source: Slice, to effect: TraceEntry.Effect, at nanoseconds: Int64) -> Int? {
    guard let begun = open[source] else { return nil }
    flowCount += 1
    var arguments = JSONFields()
    arguments.add("child", effect.id)
    let moment = max(begun.nanoseconds, nanoseconds)
    write("n", "begins \(effect.name)", source, at: moment, arguments.object, .out(of: flowCount))
    return flowCount
  }

  func json(dropped: Int) -> String {
    var names: [String] = []
    for (index, store) in stores.enumerated() {
      names.append(metadata("process_name", index + 1, store.description))
      names.append(metadata("thread_name", index + 1, "events"))
    }
    return """
      {"displayTimeUnit":"ms","otherData":{"dropped":\(dropped)},"traceEvents":[
      \((names + lines).joined(separator: ",\n"))
      ]}

      """
  }

  private mutating func process(of store: StoreIdentity) -> Int {
    if let process = processes[store] { return process }
    stores.append(store)
    processes[store] = stores.count
    return stores.count
  }

  /// The role of an event in a flow, an arrow from one slice to another: its start or its end.
  private enum FlowEnd { case out(of: Int), into(Int) }

  private mutating func write(
    _ phase: String, _ name: String, _ slice: Slice, at nanoseconds: Int64, _ arguments: String,
    _ flow: FlowEnd? = nil
  ) {
    var fields = JSONFields()
    fields.add("ph", phase)
    fields.add("cat", slice.category.rawValue)
    fields.add("name", name)
    // Effect numbers are unique only within their store.
    fields.add("id", "\(slice.process).\(slice.effect)")
    fields.add("pid", slice.process)
    fields.add("tid", Self.marks)
    fields.add("ts", json: nanoseconds.microseconds)
    switch flow {
    case .out(let number)?:
      fields.add("bind_id", "0x\(String(number, radix: 16))")
      fields.add("flow_out", json: "true")
    case .into(let number)?:
      fields.add("bind_id", "0x\(String(number, radix: 16))")
      fields.add("flow_in", json: "true")
    case nil: break
    }
    fields.add("args", json: arguments)
    lines.append(fields.object)
  }

  private mutating func mark(_ entry: TraceEntry, in process: Int) {
    var fields = JSONFields()
    fields.add("ph", "i")
    fields.add("s", "t")
    fields.add("cat", entry.category.rawValue)
    fields.add("name", entry.effect.map { "\(entry.event) \($0.name)" } ?? entry.event)
    fields.add("pid", process)
    fields.add("tid", Self.marks)
    fields.add("ts", json: entry.nanoseconds.microseconds)
    fields.add("args", json: entry.arguments)
    lines.append(fields.object)
  }

  private func metadata(_ kind: String, _ process: Int, _ name: String) -> String {
    var (arguments, fields) = (JSONFields(), JSONFields())
    arguments.add("name", name)
    fields.add("ph", "M")
    fields.add("name", kind)
    fields.add("pid", process)
    fields.add("tid", Self.marks)
    fields.add("args", json: arguments.object)
    return fields.object
  }
}

extension TraceEntry {
  fileprivate var arguments: String {
    var fields = JSONFields()
    if let effect { effect.add(to: &fields) }
    if let note { fields.add("note", note) }
    if let duration { fields.add("duration", json: duration.microseconds) }
    origin?.add(to: &fields)
    return fields.object
  }
}

extension Int64 {
  /// The nanoseconds as microseconds, exactly.
  fileprivate var microseconds: String {
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(rest)
    let sign = self < 0 ? "-" : ""
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
  }
}
