/// A sum of amounts, currency by currency.
///
/// Sums are twice as wide as amounts: no number of amounts that fits into a machine's memory overflows them.
struct Balance: Equatable, Sendable {
  /// Currencies that come to zero are not in it.
  private(set) var units: [Currency: Int128] = [:]

  init(_ amounts: some Sequence<Amount> = []) {
    for amount in amounts { add(amount) }
  }

  /// The currencies that don't come to zero.
  var currencies: [Currency] { units.keys.sorted() }

  mutating func add(_ amount: Amount) {
    let sum = units[amount.currency, default: 0] + Int128(amount.units)
    units[amount.currency] = sum == 0 ? nil : sum
  }
}

extension Balance: CustomStringConvertible {
  /// The sums, as `-1.00 EUR and 50 JPY`.
  var description: String {
    currencies.map { "\($0.text(of: units[$0, default: 0])) \($0.code)" }.joined(separator: " and ")
  }
}
