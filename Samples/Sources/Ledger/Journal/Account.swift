/// An account in the tree of accounts: `Expenses:Food:Lunch`.
struct Account: Hashable, Sendable {
  /// The names as a key: two spellings of a name make two accounts.
  private let spelling: Spelling

  /// The names from the root of the tree down, with a colon between one and the next.
  var name: String { spelling.text }

  private init(unchecked name: String) { spelling = Spelling(name) }

  /// Reads the names; there is at least one.
  init(_ text: String) throws(LedgerError) {
    let isFaulty = { (name: Substring) in
      name.isEmpty || name.hasBlankEnd
        // A no-break space looks like a space, and would make another name.
        || name.unicodeScalars.contains { $0.properties.isWhitespace && $0 != " " && $0 != "\t" }
    }
    if text.parts(by: ":").contains(where: isFaulty) {
      throw LedgerError(.malformed, "\"\(text)\" is not an account: write it as Expenses:Food.")
    }
    self.init(unchecked: text)
  }

  /// The names from the root of the tree down.
  var names: [Substring] { name.parts(by: ":") }

  /// The accounts from the root of the tree down to this one.
  var path: [Account] { names.map { Account(unchecked: String(name[..<$0.endIndex])) } }

  /// Returns the account at a depth of the tree that has this one below it, or this one if it isn't that deep.
  func clipped(toDepth depth: Int?) -> Account {
    guard let depth else { return self }
    return path.prefix(depth).last ?? self
  }
}

extension Account: Comparable {
  static func < (left: Account, right: Account) -> Bool {
    left.names.lexicographicallyPrecedes(right.names) { Spelling.isBefore($0, $1) }
  }
}

extension Account: CustomStringConvertible {
  var description: String { name }
}
