/// The balances of accounts.
struct Balances: Report {
  struct Line: Encodable, Equatable {
    let account: String
    /// The amount as a decimal fraction.
    let amount: String
    let currency: String
  }

  /// The accounts that don't come to zero, by name.
  let accounts: [Line]
  /// The sum of the accounts; all accounts of a journal come to zero, which makes no line.
  let total: [Line]

  /// Computes the balances of some accounts.
  ///
  /// - Throws: ``LedgerError`` with the code `unknown` if nothing was ever posted to some selected accounts.
  init(_ journal: Journal, of selection: Selection = Selection()) throws(LedgerError) {
    var selection = selection
    var balances: [Account: Balance] = [:]
    var total = Balance()
    for posting in journal.postings {
      for entry in posting.entries {
        guard let account = selection.account(of: entry) else { continue }
        balances[account, default: Balance()].add(entry.amount)
        total.add(entry.amount)
      }
    }
    try selection.checkMatches()
    accounts = balances.sorted { $0.key < $1.key }.flatMap { Self.lines("\($0.key)", $0.value) }
    self.total = Self.lines("Total", total)
  }

  private static func lines(_ name: String, _ balance: Balance) -> [Line] {
    balance.commodities.map { commodity in
      Line(
        account: name, amount: commodity.text(of: balance.units[commodity, default: 0]), currency: commodity.symbol)
    }
  }

  /// The lines, with the amounts below each other.
  var text: String {
    TextTable((accounts + total).map { [$0.account, $0.amount, $0.currency] }).text
  }
}
