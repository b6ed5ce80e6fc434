import AsyncStoreActions

/// What the actions of a log did, one after the other.
struct History: Report {
  struct Line: Encodable, Equatable {
    /// From 1.
    let number: Int
    let action: String
    /// How many postings are in force after it.
    let postings: Int
    /// The seal of the journal after it.
    let seal: String
  }

  let lines: [Line]

  /// Makes the actions of a log once more.
  init(_ log: ActionLog<Journal>) throws {
    var lines: [Line] = []
    try log.replay { number, journal in
      guard number > log.indices.lowerBound else { return }
      lines.append(
        Line(
          number: number, action: log[number - 1].name, postings: journal.postingCount, seal: journal.seal.description))
    }
    self.lines = lines
  }

  var text: String {
    lines.map { "\($0.number): \($0.action); postings: \($0.postings), seal: \($0.seal)\n" }.joined()
  }
}
