import AsyncStoreActions

/// The results of a log's actions, one after the other.
struct History: Report {
  struct Line: Encodable, Equatable {
    /// The number of the action, from 1.
    let number: Int
    let action: String
    /// The number of postings in force after it.
    let postings: Int
    /// The seal of the journal after it.
    let seal: String
  }

  let lines: [Line]

  /// Repeats the actions of a log.
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
