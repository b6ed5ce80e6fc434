import ArgumentParser

/// `ledger balance`.
struct BalanceCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "balance", abstract: "Shows what accounts come to, and those below them.")

  @OptionGroup var options: FileOptions

  @Flag(help: "Answer with a JSON object.")
  var json = false

  @Argument(help: "The accounts; without any, all.")
  var accounts: [String] = []

  func answer() throws -> String {
    let balances = try Balances(options.file.books().journal, of: accounts.map { try Account($0) })
    return try json ? StandardStreams.json(balances) : balances.text
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
