/// The changes of the accounts, month by month: a row for each account of the tree, with everything below it.
struct MonthlyReport: Report {
  struct Row: Encodable, Equatable {
    let account: String
    let currency: String
    /// The changes by month, as `2026-01`; decimal fractions.
    let changes: [String: String]
    let total: String
  }

  /// The months that have postings, in order.
  let months: [String]
  /// The rows, by currency, then by account.
  let rows: [Row]

  private struct Key: Hashable {
    let commodity: Commodity
    let account: Account
  }

  init(_ journal: Journal) {
    var own: [Key: [Month: Int128]] = [:]
    for posting in journal.postings {
      for entry in posting.entries {
        let key = Key(commodity: entry.amount.commodity, account: entry.account)
        own[key, default: [:]][posting.day.month, default: 0] += Int128(entry.amount.units)
      }
    }
    var changes: [Key: [Month: Int128]] = [:]
    for (key, sums) in own {
      for account in key.account.path {
        changes[Key(commodity: key.commodity, account: account), default: [:]].merge(sums, uniquingKeysWith: +)
      }
    }
    months = Set(changes.values.flatMap(\.keys)).sorted().map(\.description)
    rows = changes.sorted { ($0.key.commodity, $0.key.account) < ($1.key.commodity, $1.key.account) }.map { key, sums in
      Row(
        account: "\(key.account)",
        currency: key.commodity.symbol,
        changes: Dictionary(uniqueKeysWithValues: sums.map { ("\($0)", key.commodity.text(of: $1)) }),
        total: key.commodity.text(of: sums.values.reduce(0, +)))
    }
  }

  /// A table for each currency.
  var text: String {
    let currencies = rows.reduce(into: [Spelling]()) { names, row in
      if names.last?.text.utf8.elementsEqual(row.currency.utf8) != true { names.append(Spelling(row.currency)) }
    }
    return currencies.map { currency in
      let lines = rows.filter { Spelling($0.currency) == currency }.map { row in
        let names = row.account.parts(by: ":")
        let name = String(repeating: "  ", count: names.count - 1) + names.suffix(1).joined()
        return [name] + months.map { row.changes[$0] ?? "" } + [row.total]
      }
      return TextTable([[currency.text] + months + ["Total"]] + lines).text
    }.joined(separator: "\n")
  }
}
