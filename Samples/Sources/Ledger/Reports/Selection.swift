/// A selection of entries for a report, and the depth of its account tree.
struct Selection {
  private let patterns: [AccountPattern]
  private let depth: Int?
  /// The known results by account, so that each account is looked at once.
  private var accounts: [Account: Account?] = [:]

  /// - Parameters:
  ///   - patterns: the patterns, any of which selects an account; an empty list selects all.
  ///   - depth: the number of names of an account that are shown; accounts below it are summed up in it.
  init(_ patterns: [AccountPattern] = [], depth: Int? = nil) {
    self.patterns = patterns
    self.depth = depth
  }

  /// Returns the account under which an entry is shown, or `nil` if it isn't.
  mutating func account(of entry: Entry) -> Account? {
    if let known = accounts[entry.account] { return known }
    let isSelected = patterns.isEmpty || patterns.contains { $0.matches(entry.account) }
    let account = isSelected ? entry.account.clipped(toDepth: depth) : nil
    accounts[entry.account] = .some(account)
    return account
  }

  /// Refuses a pattern that nothing matched; call it at the end.
  func checkMatches() throws(LedgerError) {
    for pattern in patterns where !accounts.keys.contains(where: pattern.matches) {
      throw LedgerError(.unknown, "Nothing is posted to an account that \"\(pattern.text)\" matches.")
    }
  }
}
