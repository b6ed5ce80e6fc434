/// One line of a posting: what one account gains or, below zero, gives.
struct Entry: Hashable, Sendable {
  let account: Account
  let amount: Amount

  init(_ account: Account, _ amount: Amount) {
    self.account = account
    self.amount = amount
  }

  /// Reads an account, an amount and its currency: `Expenses:Food 3.50 EUR`.
  init(_ text: String) throws(LedgerError) {
    let words = text.split(separator: " ")
    guard words.count >= 3, let account = words.dropLast(2).last.map({ text[..<$0.endIndex] })
    else {
      throw LedgerError(
        .malformed, "\"\(text)\" is not an entry: write an account, an amount and its currency, Expenses:Food 3.50 EUR."
      )
    }
    let (amount, currency) = (String(words[words.count - 2]), String(words[words.count - 1]))
    self.init(try Account(String(account)), try Amount(amount, Currency(currency)))
  }
}

extension Entry: CustomStringConvertible {
  var description: String { "\(account) \(amount)" }
}

extension Entry: Codable {
  init(from decoder: any Decoder) throws { try self.init(try decoder.singleValueContainer().decode(String.self)) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
