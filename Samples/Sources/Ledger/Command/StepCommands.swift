import ArgumentParser

/// `ledger undo`.
struct UndoCommand: ChangingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Takes back the last import or posting; again, the one before it.")

  @OptionGroup var options: FileOptions

  func answer() throws -> String {
    try options.file.changeExisting { open in
      try open.perform(.undo)
      let journal = open.books.journal
      return "Took back: \(JournalAction.Change.post(postings: journal.steps[journal.stepCount].postings)).\n"
    }
  }
}

/// `ledger redo`.
struct RedoCommand: ChangingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "redo", abstract: "Makes again what undo took back, until something else is posted.")

  @OptionGroup var options: FileOptions

  func answer() throws -> String {
    try options.file.changeExisting { open in
      try open.perform(.redo)
      let journal = open.books.journal
      return "Made again: \(JournalAction.Change.post(postings: journal.steps[journal.stepCount - 1].postings)).\n"
    }
  }
}
