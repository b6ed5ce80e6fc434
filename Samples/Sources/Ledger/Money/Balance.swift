/// A sum of amounts, commodity by commodity.
///
/// Sums are twice as wide as amounts: no number of amounts that fits into a machine's memory overflows them.
struct Balance: Equatable, Sendable {
  /// The sums by commodity, without those that are zero.
  private(set) var units: [Commodity: Int128] = [:]

  init(_ amounts: some Sequence<Amount> = []) {
    for amount in amounts { add(amount) }
  }

  var isZero: Bool { units.isEmpty }

  /// True if everything comes to zero when two spellings of a symbol count as one commodity.
  var isZeroInAnySpelling: Bool {
    let sums = Dictionary(units.map { ($0.symbol, $1) }, uniquingKeysWith: +)
    return sums.values.allSatisfy { $0 == 0 }
  }

  /// The commodities that don't come to zero.
  var commodities: [Commodity] { units.keys.sorted() }

  mutating func add(_ amount: Amount) {
    let sum = units[amount.commodity, default: 0] + Int128(amount.units)
    units[amount.commodity] = sum == 0 ? nil : sum
  }
}

extension Balance: CustomStringConvertible {
  /// The sums, as `-1.00 EUR and 50 JPY`.
  var description: String {
    commodities.map { $0.amount(of: units[$0, default: 0]) }.joined(separator: " and ")
  }
}
