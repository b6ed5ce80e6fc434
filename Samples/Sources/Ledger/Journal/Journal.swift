import AsyncStoreActions

/// The postings: the model of the ledger.
struct Journal: Equatable, Sendable {
  /// The postings of one command, which are taken back and made again as a whole.
  struct Step: Codable, Equatable, Sendable {
    let postings: [Posting]
    /// The seal of all postings up to here.
    let seal: Seal
  }

  /// A position in a journal: enough to post to it, but not to undo a posting.
  struct Position: Equatable, Sendable {
    /// The number of steps in force.
    var stepCount = 0
    /// The seal of all postings in force.
    var seal = Seal.none
  }

  /// The position at which the journal begins; its steps follow it.
  let start: Position

  /// The steps in force, and after them those that were taken back, the last one taken back first.
  private(set) var steps: [Step] = []
  /// The number of steps in force.
  private(set) var stepCount = 0
  /// The references of the postings in force.
  private(set) var references: Set<Spelling> = []

  /// The number of postings in force.
  private(set) var postingCount = 0

  /// Creates an empty journal, or one that continues from a position.
  init(from start: Position = Position()) { self.start = start }

  /// The position after the steps in force.
  var position: Position {
    stepCount == 0 ? start : Position(stepCount: start.stepCount + stepCount, seal: steps[stepCount - 1].seal)
  }

  /// The postings in force, in the order of posting.
  var postings: [Posting] { steps.prefix(stepCount).flatMap(\.postings) }

  /// The seal of everything that is in the journal.
  var seal: Seal {
    var seal = steps.last?.seal ?? start.seal
    seal.add(position.stepCount)
    return seal
  }
}

extension Journal: Model {
  static func update(_ journal: inout Journal, _ action: JournalAction) -> Effect {
    // An action that does not fit changes nothing; code that wants to know why calls `apply`.
    try? journal.apply(action)
    return .none
  }

  /// Changes the journal.
  ///
  /// - Throws: the reason why the action does not fit; nothing has changed then.
  mutating func apply(_ action: JournalAction) throws(LedgerError) {
    guard action.base == seal else {
      throw LedgerError(.outdated, "The action was made on the journal \(action.base), and this is \(seal).")
    }
    switch action.change {
    case .post(let postings): try post(postings)
    case .undo: try undo()
    case .redo: try redo()
    }
  }

  private mutating func post(_ postings: [Posting]) throws(LedgerError) {
    var seal = position.seal
    for (index, posting) in postings.enumerated() {
      if let reference = posting.reference, !references.insert(Spelling(reference)).inserted {
        references.subtract(Self.references(of: postings[..<index]))
        throw LedgerError(.duplicate, "\"\(reference)\" has been posted before.")
      }
      seal.add(posting)
    }
    steps.removeSubrange(stepCount...)
    steps.append(Step(postings: postings, seal: seal))
    stepCount += 1
    postingCount += postings.count
  }

  private static func references(of postings: some Sequence<Posting>) -> [Spelling] {
    postings.compactMap { $0.reference.map { Spelling($0) } }
  }

  private mutating func undo() throws(LedgerError) {
    guard stepCount > 0 else { throw LedgerError(.nothingToUndoOrRedo, "There is nothing to undo.") }
    stepCount -= 1
    references.subtract(Self.references(of: steps[stepCount].postings))
    postingCount -= steps[stepCount].postings.count
  }

  private mutating func redo() throws(LedgerError) {
    guard stepCount < steps.count else { throw LedgerError(.nothingToUndoOrRedo, "There is nothing to redo.") }
    references.formUnion(Self.references(of: steps[stepCount].postings))
    postingCount += steps[stepCount].postings.count
    stepCount += 1
  }
}

extension Journal: Codable {
  private enum Key: String, CodingKey { case steps, stepCount }

  init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: Key.self)
    steps = try container.decode([Step].self, forKey: .steps)
    stepCount = try container.decode(Int.self, forKey: .stepCount)
    guard 0...steps.count ~= stepCount else {
      throw DecodingError.dataCorruptedError(
        forKey: .stepCount, in: container, debugDescription: "\(stepCount) of \(steps.count) steps can't be in force")
    }
    let postings = postings
    references = Set(Self.references(of: postings))
    postingCount = postings.count
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(steps, forKey: .steps)
    try container.encode(stepCount, forKey: .stepCount)
  }
}
