/// A selection of accounts for a report.
struct AccountPattern {
  let text: String
  private let regex: Regex<AnyRegexOutput>

  /// Selects the accounts whose name contains a match of a regular expression, ignoring case: `food`, `^assets`.
  ///
  /// The comparison is scalar by scalar, as in hledger: a combining mark hides no colon.
  init(_ text: String) throws(LedgerError) {
    do {
      regex = try Regex(text).ignoresCase().matchingSemantics(.unicodeScalar)
    } catch {
      throw LedgerError(.malformed, "\"\(text)\" is not a regular expression: \(error)")
    }
    self.text = text
  }

  func matches(_ account: Account) -> Bool { account.name.contains(regex) }
}
