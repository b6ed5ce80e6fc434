/// What the accounts come to.
struct Balances: Encodable {
  struct Line: Encodable, Equatable {
    let account: String
    /// A decimal fraction.
    let amount: String
    let currency: String
  }

  /// The accounts that don't come to zero, by name.
  let accounts: [Line]
  /// What the accounts come to together; all accounts of a journal come to zero, which makes no line.
  let total: [Line]

  /// The balances of some accounts and of those below them.
  ///
  /// - Parameter selection: the accounts; none is all.
  /// - Throws: ``LedgerError`` with the code `unknown` if nothing was ever posted to one of them.
  init(_ journal: Journal, of selection: [Account]) throws(LedgerError) {
    var balances: [Account: Balance] = [:]
    var total = Balance()
    for entry in journal.postings.lazy.flatMap(\.entries)
    where selection.isEmpty || selection.contains(where: entry.account.isWithin) {
      balances[entry.account, default: Balance()].add(entry.amount)
      total.add(entry.amount)
    }
    for account in selection where !balances.keys.contains(where: { $0.isWithin(account) }) {
      throw LedgerError(.unknown, "Nothing is posted to an account \(account).")
    }
    accounts = balances.sorted { $0.key < $1.key }.flatMap { Self.lines("\($0.key)", $0.value) }
    self.total = Self.lines("Total", total)
  }

  private static func lines(_ name: String, _ balance: Balance) -> [Line] {
    balance.currencies.map { currency in
      Line(account: name, amount: currency.text(of: balance.units[currency, default: 0]), currency: currency.code)
    }
  }

  /// The lines, with the amounts below each other.
  var text: String {
    TextTable((accounts + total).map { [$0.account, $0.amount, $0.currency] }).text
  }
}
