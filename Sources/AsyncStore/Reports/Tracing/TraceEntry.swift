/// An event as a recorder stores it: as numbers and text, without references to the user's values.
struct TraceEntry: Sendable {
  /// The part that an event has in a slice of the trace.
  enum Phase: Sendable { case begin, end, mark }
  enum Category: String, Sendable { case effect, wait }

  let store: StoreIdentity
  let nanoseconds: Int64
  let phase: Phase
  let category: Category
  /// The event's kind, such as `settled`.
  let event: String
  let effect: Effect?
  /// A detail of the event: the outcome, the error, the identifiers.
  let note: String?
  /// The length of a back-off, or the lateness of a tick.
  let duration: Int64?
  /// The effect that has lifted the event's effect from another store.
  let origin: EffectOrigin?

  /// An effect in numbers and words.
  struct Effect: Sendable {
    let id: UInt64
    let parent: UInt64?
    let tree: UInt64
    let attempt: EffectRecord.RetryAttempt?
    let kind: EffectKind
    let identifier: String?
    let label: String?
    let detail: String
    let location: CallSite?

    init(_ record: EffectRecord) {
      (id, parent, tree, attempt) = (record.id, record.parent, record.tree, record.attempt)
      kind = record.effect.kind
      identifier = record.identifier?.description.cut
      label = record.label?.cut
      detail = record.effect.detail.cut
      location = record.effect.location.flatMap { $0.line > 0 ? $0 : nil }
    }

    /// The label, otherwise the identifier, otherwise the kind.
    var name: String { label ?? identifier ?? (detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)") }
  }

  init(_ event: InstrumentEvent) {
    store = event.store
    nanoseconds = event.moment.nanosecondsRoundedDown
    effect = event.effect.map { Effect($0) }
    var (phase, category, note, duration) = (Phase.mark, Category.effect, nil as String?, nil as Int64?)
    origin = if case .lifted(let origin) = event.kind { origin } else { nil }
    switch event.kind {
    case .begun: phase = .begin
    case .settled(let outcome): (phase, note) = (.end, outcome.words)
    case .waiting(let wait): (phase, category, note) = (.begin, .wait, wait.rawValue)
    case .waited(let wait, let outcome):
      (phase, category, note) = (.end, .wait, "\(wait.rawValue), \(outcome.words)")
    case .backedOff(let attempt, let error, let delay):
      (phase, category, duration) = (delay > .zero ? .begin : .mark, .wait, delay.nanosecondsRoundedDown)
      note = "attempt \(attempt) failed: \(error)"
    case .failed(let error), .recovered(let error): note = "\(error)"
    case .attemptsEnded(let outcome): note = outcome.words
    case .attempted(let attempt): note = attempt.description
    case .ticked(let tick, let late): (note, duration) = ("tick \(tick.index)", late.nanosecondsRoundedDown)
    case .unsettledBindings(let identifiers), .joinCycle(let identifiers):
      note = identifiers.map(\.description).joined(separator: ", ")
    case .committed, .lifted, .cancelled, .timedOut, .dropped, .ignored: break
    }
    (self.phase, self.category, self.note, self.duration) = (phase, category, note?.cut, duration)
    self.event = event.kind.name
  }

  /// The event as a JSON object.
  var json: String {
    var fields = JSONFields()
    fields.add("ns", nanoseconds)
    fields.add("store", store.description)
    fields.add("event", event)
    if let effect { effect.add(to: &fields) }
    if let note { fields.add("note", note) }
    if let duration { fields.add("duration", duration) }
    origin?.add(to: &fields)
    return fields.object
  }
}

extension EffectOrigin {
  func add(to fields: inout JSONFields) {
    fields.add("originStore", store.description)
    fields.add("originEffect", effect)
  }
}

extension TraceEntry.Effect {
  func add(to fields: inout JSONFields) {
    fields.add("effect", id)
    if let parent { fields.add("parent", parent) }
    fields.add("tree", tree)
    if let attempt { fields.add("attempt", attempt.number) }
    fields.add("kind", kind.rawValue)
    if let identifier { fields.add("identifier", identifier) }
    if let label { fields.add("label", label) }
    if !detail.isEmpty { fields.add("detail", detail) }
    if let location { fields.add("location", location.description) }
  }
}

/// The fields of a JSON object, in order.
struct JSONFields {
  private var fields: [String] = []

  mutating func add(_ name: String, _ number: some BinaryInteger) { fields.append("\"\(name)\":\(number)") }
  mutating func add(_ name: String, _ text: String) { fields.append("\"\(name)\":\(text.jsonQuoted)") }
  mutating func add(_ name: String, json: String) { fields.append("\"\(name)\":\(json)") }

  var object: String { "{\(fields.joined(separator: ","))}" }
}

extension InstrumentEvent.Kind {
  /// The kind in a word.
  fileprivate var name: String {
    switch self {
    case .begun: "begun"
    case .settled: "settled"
    case .committed: "committed"
    case .lifted: "lifted"
    case .cancelled: "cancelled"
    case .failed: "failed"
    case .recovered: "recovered"
    case .attempted: "attempted"
    case .backedOff: "backedOff"
    case .attemptsEnded: "attemptsEnded"
    case .waiting: "waiting"
    case .waited: "waited"
    case .timedOut: "timedOut"
    case .ticked: "ticked"
    case .dropped: "dropped"
    case .ignored: "ignored"
    case .unsettledBindings: "unsettledBindings"
    case .joinCycle: "joinCycle"
    }
  }
}

extension EffectOutcome {
  fileprivate var words: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case .dropped: "dropped"
    case .inactive: "inactive"
    }
  }
}

extension String {
  /// The string, or its beginning if it is too long.
  ///
  /// Cut by scalars, because a character may be of any length.
  fileprivate var cut: String {
    let head = unicodeScalars.prefix(200)
    return head.endIndex == unicodeScalars.endIndex ? self : String(UnicodeScalarView(head)) + "…"
  }
}
