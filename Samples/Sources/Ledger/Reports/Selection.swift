/// A selection of entries for a report, and the depth of its account tree.
struct Selection {
  private let patterns: [AccountPattern]
  private let depth: Int?
  /// Each account is looked at once, however many entries it has.
  private var accounts: [Account: Account?] = [:]

  /// - Parameters:
  ///   - patterns: an account is selected by any of them; none selects all.
  ///   - depth: how many names of an account are shown; those below it are summed up in it.
  init(_ patterns: [AccountPattern] = [], depth: Int? = nil) {
    self.patterns = patterns
    self.depth = depth
  }

  /// Under which account an entry is shown; `nil` if it isn't.
  mutating func account(of entry: Entry) -> Account? {
    if let known = accounts[entry.account] { return known }
    let isSelected = patterns.isEmpty || patterns.contains { $0.matches(entry.account) }
    let account = isSelected ? entry.account.clipped(toDepth: depth) : nil
    accounts[entry.account] = .some(account)
    return account
  }

  /// Refuses a pattern that nothing matched; to be called at the end.
  func checkMatches() throws(LedgerError) {
    for pattern in patterns where !accounts.keys.contains(where: pattern.matches) {
      throw LedgerError(.unknown, "Nothing is posted to an account that \"\(pattern.text)\" matches.")
    }
  }
}
