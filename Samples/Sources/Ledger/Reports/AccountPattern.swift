/// A selection of accounts for a report.
struct AccountPattern {
  let text: String
  private let regex: Regex<AnyRegexOutput>

  /// The accounts in whose name a regular expression is found somewhere, whatever the case of the letters: `food`,
  /// `^assets`.
  ///
  /// Both are compared scalar by scalar, as hledger does: a combining mark hides no colon.
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
