import AsyncStoreActions

extension Books {
  /// Repeats all logged actions, and compares every state and the current one.
  ///
  /// - Parameter log: another log than the books' own, for example an exported one.
  /// - Throws: ``LedgerError`` with the code `diverged`, which names the first action whose result differs from the one
  ///   when it was made.
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
  /// Returns the number, from 1, of the first action whose state is not the one the next action was made on or, after
  /// the last action, the current one.
  ///
  /// It is 0 for the state before the first action, and `nil` if all states are as they were.
  fileprivate func firstDivergence(from present: Journal) throws -> Int? {
    var first = initial == Journal() && indices.lowerBound == 0 ? nil : 0
    try replay { number, journal in
      if first == nil, !isReproduced(journal, number, present) { first = number }
    }
    return first
  }

  /// Returns whether a state of the replay is the one when the log was written.
  private func isReproduced(_ journal: Journal, _ number: Int, _ present: Journal) -> Bool {
    // A change that is no action contains its result, which proves nothing.
    if number > indices.lowerBound, self[number - 1].base == nil { return false }
    guard number < indices.upperBound else { return journal == present }
    // Nor does it contain the state it was made on; the change after it is then not reproduced.
    guard let base = self[number].base else { return true }
    return base == journal.seal
  }
}

extension ActionLog<Journal>.Change {
  /// The seal of the journal it was made on, or `nil` for a change that is no action, and so can't be checked.
  var base: Seal? {
    if case .action(let action) = self { action.base } else { nil }
  }

  /// The change in a few words.
  var name: String {
    if case .action(let action) = self { "\(action.change)" } else { "a change that is no action" }
  }
}
