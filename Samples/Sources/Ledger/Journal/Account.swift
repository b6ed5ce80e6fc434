/// An account in the tree of accounts: `Expenses:Food:Lunch`.
struct Account: Hashable, Sendable {
  /// The names from the root of the tree down; there is at least one.
  let names: [String]

  private init(names: [String]) { self.names = names }

  /// Reads the names, with a colon between one and the next.
  init(_ text: String) throws(LedgerError) {
    let names = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let isFaulty = { (name: String) in
      name.isEmpty || name.first?.isWhitespace == true || name.last?.isWhitespace == true
        || name.contains(where: \.isNewline)
    }
    if names.contains(where: isFaulty) {
      throw LedgerError(.malformed, "\"\(text)\" is not an account: write it as Expenses:Food.")
    }
    self.init(names: names)
  }

  /// Whether this is the other account or below it.
  func isWithin(_ other: Account) -> Bool { names.starts(with: other.names) }

  /// The accounts from the root of the tree down to this one.
  var path: [Account] { names.indices.map { Account(names: Array(names[...$0])) } }
}

extension Account: Comparable {
  static func < (left: Account, right: Account) -> Bool { left.names.lexicographicallyPrecedes(right.names) }
}

extension Account: CustomStringConvertible {
  var description: String { names.joined(separator: ":") }
}
