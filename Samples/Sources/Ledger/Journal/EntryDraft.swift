/// An entry as people write it; a missing amount follows from the other entries of the posting.
struct EntryDraft {
  let account: Account
  let amount: Amount?

  init(_ account: Account, _ amount: Amount?) {
    self.account = account
    self.amount = amount
  }

  /// Reads an account and, if it has one, an amount: `Expenses:Food 3.50 EUR`, `Assets:Cash $-3.50`, `Equity`.
  init(_ text: String) throws(LedgerError) {
    let words = Self.words(of: text)
    let count = try Self.amountLength(words, text)
    guard words.count > count, let end = words.dropLast(count).last?.endIndex else { throw Self.malformed(text) }
    account = try Account(String(text[..<end]))
    amount = count == 0 ? nil : try Amount(words.suffix(count).joined(separator: " "))
  }

  /// Returns the words of an entry; the name of a commodity in quotes at the end is one word, with or without spaces.
  private static func words(of text: String) -> [Substring] {
    let scalars = text.unicodeScalars
    guard scalars.last == "\"", let quote = scalars.dropLast().lastIndex(of: "\"") else { return spaced(text[...]) }
    let first = scalars[..<quote].lastIndex(of: " ").map(scalars.index(after:)) ?? text.startIndex
    return spaced(text[..<first]) + [text[first...]]
  }

  private static func spaced(_ text: Substring) -> [Substring] { text.parts(by: " ").filter { !$0.isEmpty } }

  static func malformed(_ text: String) -> LedgerError {
    LedgerError(
      .malformed,
      "\"\(text)\" is not an entry: write an account, an amount and its commodity, Expenses:Food 3.50 EUR.")
  }

  /// Returns the number of words at the end that form the amount.
  ///
  /// A name with a number in it is no amount: `Assets:Account2`.
  private static func amountLength(_ words: [Substring], _ text: String) throws(LedgerError) -> Int {
    guard let last = words.last, words.count > 1 else { return 0 }
    let previous = words[words.count - 2]
    if isNumber(last) {
      // EUR 3.50; without a commodity it may be an amount or a part of the name.
      guard Commodity.isCurrency(previous) else { throw malformed(text) }
      return 2
    }
    // $3.50, EUR3.50 and 3.50EUR.
    let scalars = last.unicodeScalars
    let unsigned = scalars.first == "-" ? scalars.dropFirst() : scalars[...]
    if unsigned.contains(where: \.isASCIIDigit),
      unsigned.first?.isASCIIDigit == true
        || [1, 3].contains(where: { Commodity.isCurrency(Substring(unsigned.prefix($0))) })
    {
      return 1
    }
    return isNumber(previous) ? 2 : 0
  }

  /// True if a text ends in an amount, or in a number that could be one.
  fileprivate static func hasAmount(_ text: Substring) -> Bool {
    (try? amountLength(words(of: String(text.trimmed)), String(text))) != 0
  }

  private static func isNumber(_ word: Substring) -> Bool {
    let scalars = word.unicodeScalars
    return scalars.contains(where: \.isASCIIDigit)
      && scalars.allSatisfy { $0.isASCIIDigit || "-.,;".unicodeScalars.contains($0) }
  }
}

extension Account {
  /// Refuses a name in which an amount stands before an @, as it does where the cost of an amount was meant.
  ///
  /// Books of an older version may have such accounts, and stay readable.
  func checkCostless() throws(LedgerError) {
    for mark in name[...].unquotedIndices(of: "@") where EntryDraft.hasAmount(name[..<mark]) {
      throw LedgerError(
        .malformed,
        "\"\(name)\" is not an account: it has an amount and a cost in it, and only import takes costs.")
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isASCIIDigit: Bool { "0"..."9" ~= self }
}

extension Posting {
  /// Makes a posting of entries of which one may be without an amount: it gets the amount that brings all to zero.
  init(
    _ day: Day, _ description: String, reference: String? = nil, comment: String? = nil, completing drafts: [EntryDraft]
  ) throws(LedgerError) {
    let balance = Balance(drafts.lazy.compactMap(\.amount))
    var entries: [Entry] = []
    var isCompleted = false
    for draft in drafts {
      if let amount = draft.amount {
        entries.append(Entry(draft.account, amount))
        continue
      }
      if isCompleted {
        throw LedgerError(
          .unbalanced,
          "\(Posting.title(day, description)) has two entries without an amount: one can be worked out, not more.")
      }
      isCompleted = true
      for commodity in balance.commodities {
        guard let units = Int64(exactly: -balance.units[commodity, default: 0]) else {
          throw LedgerError(
            .overflow, "The missing amount is too large: that of \(Posting.title(day, description)).")
        }
        entries.append(Entry(draft.account, Amount(units: units, commodity)))
      }
      if balance.commodities.isEmpty, let other = drafts.lazy.compactMap(\.amount).first {
        entries.append(Entry(draft.account, Amount(units: 0, other.commodity)))
      }
    }
    try self.init(day, description, reference: reference, comment: comment, entries)
  }
}
