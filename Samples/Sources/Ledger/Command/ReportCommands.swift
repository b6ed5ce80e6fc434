import ArgumentParser

/// The accounts to report on.
struct SelectionOptions: ParsableArguments {
  @Option(help: "Show this many levels of accounts; the last one includes those below it.")
  var depth: Int?

  @Argument(
    help: "Regular expressions, such as food or ^assets, that are found in the accounts' names; without any, all.")
  var accounts: [String] = []

  func validate() throws {
    if let depth, depth < 1 { throw ValidationError("The depth is 1 or more.") }
  }

  func selection() throws(LedgerError) -> Selection {
    Selection(try accounts.map { text throws(LedgerError) in try AccountPattern(text) }, depth: depth)
  }
}

/// `ledger balance`.
struct BalanceCommand: Subcommand {
  static let configuration = CommandConfiguration(commandName: "balance", abstract: "Shows what accounts come to.")

  @OptionGroup var options: FileOptions

  @OptionGroup var form: AnswerOptions

  @OptionGroup var selection: SelectionOptions

  func answer() throws -> String {
    let selection = try selection.selection()
    return try form.text(of: Balances(options.file.books().journal, of: selection))
  }
}

/// `ledger register`.
struct RegisterCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Shows the entries of accounts day by day, and what they come to.")

  @OptionGroup var options: FileOptions

  @OptionGroup var form: AnswerOptions

  @OptionGroup var selection: SelectionOptions

  func answer() throws -> String {
    let selection = try selection.selection()
    return try form.text(of: Register(options.file.books().journal, of: selection))
  }
}

/// `ledger report`.
struct ReportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Shows the tree of accounts, and how each changed month by month.")

  @OptionGroup var options: FileOptions

  @OptionGroup var form: AnswerOptions

  func answer() throws -> String {
    try form.text(of: MonthlyReport(options.file.books().journal))
  }
}

/// `ledger print`.
struct PrintCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "print", abstract: "Prints all postings as an hledger journal, which import reads again.",
    discussion: """
      What follows a semicolon in a description is a comment to hledger, and to a later import.
      """)

  @OptionGroup var options: FileOptions

  func answer() throws -> String { PrintedJournal(try options.file.books().journal).text }
}
