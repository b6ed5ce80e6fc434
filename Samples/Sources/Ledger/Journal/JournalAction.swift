/// An action on a journal.
struct JournalAction: Codable, Equatable, Sendable {
  enum Change: Codable, Equatable, Sendable {
    /// Posts all of the postings, as one step.
    case post(postings: [Posting])
    /// Takes back the last step in force.
    case undo
    /// Repeats the step that was taken back last.
    case redo
  }

  let change: Change
  /// The seal of the journal it was made on, like the parent of a commit in a version control system.
  ///
  /// Any other journal refuses the action, and so a log of actions can be checked action by action.
  let base: Seal
}

extension JournalAction.Change: CustomStringConvertible {
  /// The change in a few words: `post "Coffee"`, `post 12 postings`, `undo`.
  var description: String {
    switch self {
    case .post(let postings) where postings.count == 1: "post \"\(postings[0].description)\""
    case .post(let postings): "post \(postings.count) postings"
    case .undo: "undo"
    case .redo: "redo"
    }
  }
}
