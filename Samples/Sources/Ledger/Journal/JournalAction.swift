/// What can happen to a journal.
struct JournalAction: Codable, Equatable, Sendable {
  enum Change: Codable, Equatable, Sendable {
    /// Posts all of the postings, as one step.
    case post(postings: [Posting])
    /// Takes back the last step in force.
    case undo
    /// Makes the step again that was taken back last.
    case redo
  }

  let change: Change
  /// The seal of the journal it was made on, as the parent of a commit in a version control system.
  ///
  /// An action is refused by any other journal, and so a log of actions can be checked action by action.
  let base: Seal
}

extension JournalAction.Change: CustomStringConvertible {
  /// In a few words: `post "Coffee"`, `post 12 postings`, `undo`.
  var description: String {
    switch self {
    case .post(let postings) where postings.count == 1: "post \"\(postings[0].description)\""
    case .post(let postings): "post \(postings.count) postings"
    case .undo: "undo"
    case .redo: "redo"
    }
  }
}
