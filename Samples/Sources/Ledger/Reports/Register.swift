/// The entries of some accounts day by day, with their running total.
struct Register: Report {
  struct Line: Encodable, Equatable {
    let date: String
    let description: String
    let account: String
    /// The amount as a decimal fraction.
    let amount: String
    let currency: String
    /// The running total by commodity; empty if it is zero.
    let total: [String]
  }

  /// The lines by day, and within a day in the order of posting.
  let lines: [Line]

  /// - Throws: ``LedgerError`` with the code `unknown` if nothing was ever posted to some selected accounts.
  init(_ journal: Journal, of selection: Selection = Selection()) throws(LedgerError) {
    var (selection, total) = (selection, Balance())
    var lines: [Line] = []
    // Swift's sorting keeps the order of equal elements.
    for posting in journal.postings.sorted(by: { $0.day < $1.day }) {
      for entry in posting.entries {
        guard let account = selection.account(of: entry) else { continue }
        total.add(entry.amount)
        let commodity = entry.amount.commodity
        lines.append(
          Line(
            date: "\(posting.day)", description: posting.description, account: "\(account)",
            amount: commodity.text(of: Int128(entry.amount.units)), currency: commodity.symbol,
            total: total.commodities.map { $0.amount(of: total.units[$0, default: 0]) }))
      }
    }
    try selection.checkMatches()
    self.lines = lines
  }

  /// A line for each entry; totals in more commodities than one have a comma between them.
  var text: String {
    let rows = lines.map { line in
      [
        line.date, line.description, line.account, line.amount, line.currency,
        line.total.isEmpty ? "0" : line.total.joined(separator: ", "),
      ]
    }
    return TextTable(rows, leftColumns: 3).text
  }
}
