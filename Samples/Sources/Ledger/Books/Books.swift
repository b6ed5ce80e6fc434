import AsyncStoreActions

/// The state of the ledger: the journal, and the log of the actions that led to it.
///
/// The log is part of the state, and not kept by the store beside it, so that one write saves both and no crash can
/// separate them.
struct Books: Codable, Sendable {
  private(set) var journal: Journal
  /// The log, which keeps no states for comparison: each action has the seal of the state before it.
  private(set) var log: ActionLog<Journal>

  /// Creates new books, or books that continue from a position.
  init(from start: Journal.Position = Journal.Position()) {
    journal = Journal(from: start)
    log = ActionLog(initial: journal, checkpointEvery: .max)
  }

  /// Changes the journal, and logs the action.
  ///
  /// - Throws: the reason for a refusal; nothing has changed then.
  mutating func perform(_ change: JournalAction.Change) throws(LedgerError) {
    let action = JournalAction(change: change, base: journal.seal)
    try journal.apply(action)
    log.append(.action(action), leadingTo: journal)
  }

  /// Goes back to the state when the log had fewer actions.
  ///
  /// - Parameter count: the number of actions that remain.
  /// - Complexity: linear in `count`, because these are repeated: nothing else knows which steps could then be redone.
  mutating func goBack(to count: Int) {
    guard let journal = log.state(at: count) else { return }
    var log = ActionLog(initial: log.initial, checkpointEvery: .max)
    for change in self.log.changes.prefix(count) { log.append(change, leadingTo: journal) }
    (self.journal, self.log) = (journal, log)
  }
}
