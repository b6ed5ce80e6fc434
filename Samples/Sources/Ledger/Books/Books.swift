import AsyncStoreActions

/// The state of the ledger: the journal, and the log of the actions that led to it.
///
/// The log is part of the state, and not kept by the store beside it, so that one write saves both and no crash can
/// part them.
struct Books: Codable, Sendable {
  private(set) var journal: Journal
  /// Keeps no states to compare with: each action knows the seal of the state before it.
  private(set) var log: ActionLog<Journal>

  /// New books, or the end of books that are not read.
  init(from start: Journal.Position = Journal.Position()) {
    journal = Journal(from: start)
    log = ActionLog(initial: journal, checkpointEvery: .max)
  }

  /// Changes the journal, and logs how.
  ///
  /// - Throws: why it can't be; nothing has changed then.
  mutating func perform(_ change: JournalAction.Change) throws(LedgerError) {
    let action = JournalAction(change: change, base: journal.seal)
    try journal.apply(action)
    log.append(.action(action), leadingTo: journal)
  }

  /// Goes back to when the log had fewer actions.
  ///
  /// - Parameter count: how many actions remain.
  /// - Complexity: linear in `count`, as these are done again: nothing else knows which steps could be redone then.
  mutating func goBack(to count: Int) {
    guard let journal = log.state(at: count) else { return }
    var log = ActionLog(initial: log.initial, checkpointEvery: .max)
    for change in self.log.changes.prefix(count) { log.append(change, leadingTo: journal) }
    (self.journal, self.log) = (journal, log)
  }
}
