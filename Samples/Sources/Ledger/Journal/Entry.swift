/// One line of a posting: the amount that an account gains or, below zero, gives.
struct Entry: Hashable, Sendable {
  let account: Account
  let amount: Amount

  init(_ account: Account, _ amount: Amount) {
    self.account = account
    self.amount = amount
  }

  /// Reads an account, an amount and its commodity: `Expenses:Food 3.50 EUR`.
  init(_ text: String) throws(LedgerError) {
    let draft = try EntryDraft(text)
    guard let amount = draft.amount else { throw EntryDraft.malformed(text) }
    self.init(draft.account, amount)
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
