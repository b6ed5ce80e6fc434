import ArgumentParser

/// `ledger post`.
struct PostCommand: ChangingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "post",
    abstract: "Posts entries that balance.",
    discussion: """
      For example: ledger post 2026-01-31 "Coffee" "Expenses:Food 3.50 EUR" "Assets:Cash"

      One entry may be without an amount: it gets what brings all to zero. An amount is in a currency, 3.50 EUR or \
      $3.50, or in anything else with a name: 10 AAPL. Costs (@ and @@) are only taken by import.

      The ledger keeps a description as it is; once it is printed, what follows a semicolon in a description is a \
      comment to hledger, and to a later import.
      """)

  @OptionGroup var options: FileOptions

  @Option(help: "What it is called elsewhere; the same reference can't be posted twice.")
  var reference: String?

  @Option(help: "A comment.")
  var comment: String?

  @Argument(help: "The day, as 2026-01-31 or 2026/01/31.")
  var date: String

  @Argument(help: "What it is about.")
  var description: String

  @Argument(help: "Two or more of an account, an amount and its commodity, each in quotes.")
  var entries: [String]

  func answer() throws -> String {
    let drafts = try entries.map(EntryDraft.init)
    for draft in drafts { try draft.account.checkCostless() }
    let posting = try Posting(Day(date), description, reference: reference, comment: comment, completing: drafts)
    try posting.checkPrintable()
    try options.file.post(posting)
    return "Posted \"\(description)\".\n"
  }
}
