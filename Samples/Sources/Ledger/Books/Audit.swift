import AsyncStoreActions

extension Books {
  /// Makes all logged actions once more, and compares every state and the present one.
  ///
  /// - Parameter log: another log than the books' own, one that was exported for example.
  /// - Throws: ``LedgerError`` with the code `diverged`, which names the first action that does not lead to what it led
  ///   to when it was made.
  func audit(_ log: ActionLog<Journal>) throws {
    if let number = try log.firstDivergence(from: journal) {
      let action = log.indices.contains(number - 1) ? " (\(log[number - 1].name))" : ""
      throw LedgerError(
        .diverged,
        number == 0
          ? "The log does not begin with an empty journal."
          : "Action \(number)\(action) does not lead to what it led to when it was made.")
    }
  }
}

extension ActionLog<Journal> {
  /// The number, from 1, of the first action whose state is not the one the next action was made on or, after the last
  /// action, the present one.
  ///
  /// 0 if it is the state before the first action; `nil` if all are as they were.
  fileprivate func firstDivergence(from present: Journal) throws -> Int? {
    var first = initial == Journal() && indices.lowerBound == 0 ? nil : 0
    try replay { number, journal in
      if first == nil, !isReproduced(journal, number, present) { first = number }
    }
    return first
  }

  /// Whether a state of the replay is the one that was there when the log was written.
  private func isReproduced(_ journal: Journal, _ number: Int, _ present: Journal) -> Bool {
    // A change that is no action says itself what it led to, which proves nothing.
    if number > indices.lowerBound, self[number - 1].base == nil { return false }
    guard number < indices.upperBound else { return journal == present }
    // Nor does it say what it was made on; it is the next one that is not reproduced.
    guard let base = self[number].base else { return true }
    return base == journal.seal
  }
}

extension ActionLog<Journal>.Change {
  /// The seal of the journal it was made on; `nil` for a change that is no action, and so can't be checked.
  var base: Seal? {
    if case .action(let action) = self { action.base } else { nil }
  }

  /// What happened, in a few words.
  var name: String {
    if case .action(let action) = self { "\(action.change)" } else { "a change that is no action" }
  }
}
