import ArgumentParser

/// The accounts to report on.
struct SelectionOptions: ParsableArguments {
  @Option(help: "Show so many names of an account, and sum up in it those below it.")
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

  @Flag(help: "Answer with a JSON object.")
  var json = false

  @OptionGroup var selection: SelectionOptions

  func answer() throws -> String {
    let selection = try selection.selection()
    let balances = try Balances(options.file.books().journal, of: selection)
    return try json ? StandardStreams.json(balances) : balances.text
  }
}

/// `ledger register`.
struct RegisterCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Shows the entries of accounts day by day, and what they come to.")

  @OptionGroup var options: FileOptions

  @Flag(help: "Answer with a JSON object.")
  var json = false

  @OptionGroup var selection: SelectionOptions

  func answer() throws -> String {
    let selection = try selection.selection()
    let register = try Register(options.file.books().journal, of: selection)
    return try json ? StandardStreams.json(register) : register.text
  }
}

/// `ledger report`.
struct ReportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Shows the tree of accounts, and how each changed month by month.")

  @OptionGroup var options: FileOptions

  @Flag(help: "Answer with a JSON object.")
  var json = false

  func answer() throws -> String {
    let report = MonthlyReport(try options.file.books().journal)
    return try json ? StandardStreams.json(report) : report.text
  }
}

/// `ledger print`.
struct PrintCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "print", abstract: "Prints all postings as an hledger journal, which import reads again.")

  @OptionGroup var options: FileOptions

  func answer() throws -> String { PrintedJournal(try options.file.books().journal).text }
}
