/// A transaction of an hledger journal.
struct HledgerTransaction {
  private let head: JournalLine
  private let day: Day
  private let code: Substring?
  private let description: Substring
  private var comments: [Substring] = []
  private var entries: [EntryDraft] = []

  /// - Parameters:
  ///   - head: the line that begins with the date.
  ///   - lines: the lines that belong to it.
  init(_ head: JournalLine, _ lines: [JournalLine]) throws(LedgerError) {
    let date = head.text.prefix { !$0.isWhitespace }
    if let mark = date.unicodeScalars.firstIndex(of: "=") {
      throw head.error(.malformed, "There is a second date; a posting has one.", at: date[mark...])
    }
    self.head = head
    day = try head.read(date) { text throws(LedgerError) in try Day(String(text)) }
    var text = Self.withoutStatus(head.text[date.endIndex...].trimmed)
    // A parenthesis directly after a status is a part of the description.
    let isSeparated = head.text[..<text.startIndex].last?.isWhitespace == true
    let scalars = text.unicodeScalars
    if isSeparated, scalars.first == "(" {
      guard let end = scalars.firstIndex(of: ")") else {
        throw head.error(.malformed, "This code is not closed: there is no parenthesis for it on the line.", at: text)
      }
      code = Substring(scalars[..<end].dropFirst())
      text = Substring(scalars[end...].dropFirst())
    } else {
      code = nil
    }
    let (description, comment) = text.divided(at: ";")
    self.description = description
    comments = [comment].compactMap { $0 }
    for line in lines { try read(line) }
  }

  /// Returns the posting, and adds its reference to the used ones.
  func posting(_ references: inout Set<Spelling>) throws(LedgerError) -> Posting {
    let reference = code.flatMap { $0.isEmpty ? nil : String($0) }
    if let code, let reference, !references.insert(Spelling(reference)).inserted {
      throw head.error(.duplicate, "\"\(reference)\" has been posted before.", at: code)
    }
    if let code, let reference {
      try head.read(code) { _ throws(LedgerError) in try Posting.checkPrintable(reference: reference) }
    }
    let comment = comments.filter { !$0.isEmpty }.joined(separator: "; ")
    for text in [String(description), comment] where !text.isEmpty {
      try head.read(description) { _ throws(LedgerError) in try text.checkPrintable() }
    }
    return try head.read(head.text) { _ throws(LedgerError) in
      let posting = try Posting(
        day, String(description), reference: reference, comment: comment.isEmpty ? nil : comment, completing: entries)
      try posting.checkPrintable()
      return posting
    }
  }

  private mutating func read(_ line: JournalLine) throws(LedgerError) {
    if line.isComment { return try add(comment: line.trimmed.dropFirst().trimmed, line) }
    let text = Self.withoutStatus(line.trimmed)
    if text.unicodeScalars.begins(withOneOf: "([") {
      throw line.error(.malformed, "This is a virtual posting, which need not balance; here all do.", at: text)
    }
    // Names contain single spaces: two spaces, or a space and a tab, or two tabs end them.
    let scalars = text.unicodeScalars
    let end =
      scalars.indices.first { index in
        let pair = scalars[index...].prefix(2)
        return pair.count == 2 && pair.allSatisfy { $0 == " " || $0 == "\t" }
      } ?? text.endIndex
    if let tab = text[..<end].unicodeScalars.firstIndex(of: "\t") {
      throw line.error(
        .malformed,
        "hledger reads a single tab as a part of the name: put two spaces between an account and what follows.",
        at: text[tab...])
    }
    let account = try line.read(text[..<end]) { name throws(LedgerError) in
      if name.unicodeScalars.contains(";") {
        throw LedgerError(.malformed, "There have to be two spaces between an account and a comment.")
      }
      let account = try Account(String(name))
      try account.checkPrintable()
      return account
    }
    let (amount, comment) = text[end...].divided(at: ";")
    if let comment { try add(comment: comment, line, ofEntry: true) }
    try read(amount, of: account, line)
  }

  /// Adds a comment, unless it has a date, which hledger would read as the entry's own.
  private mutating func add(comment: Substring, _ line: JournalLine, ofEntry: Bool = false) throws(LedgerError) {
    let pattern = /\bdate2?:|\[[0-9=][0-9=\/.\-]*\]/.matchingSemantics(.unicodeScalar)
    if ofEntry || !entries.isEmpty, let date = comment.firstMatch(of: pattern) {
      throw line.error(.malformed, "This gives the entry a date of its own; here all have their posting's.", at: date.0)
    }
    comments.append(comment)
  }

  private mutating func read(_ text: Substring, of account: Account, _ line: JournalLine) throws(LedgerError) {
    if let assertion = text.unquotedIndices(of: "=").first {
      throw line.error(
        .malformed, "This is an assertion about a balance, which can't be checked here.", at: text[assertion...])
    }
    let mark = text.unquotedIndices(of: "@").first
    let (quantity, price) = text.divided(at: mark)
    // Two marks with a space between them are not a mark of hledger.
    let isTotal = mark.map { text.unicodeScalars[$0...].dropFirst().first == "@" } ?? false
    let cost = isTotal ? price.map { Substring($0.unicodeScalars.dropFirst()).trimmed } : price
    guard !quantity.isEmpty else {
      if let cost { throw line.error(.malformed, "This is a cost of nothing.", at: cost) }
      return entries.append(EntryDraft(account, nil))
    }
    try line.checkEnd(ofAmount: quantity)
    if let cost { try line.checkEnd(ofAmount: cost) }
    let amount = try line.read(quantity) { text throws(LedgerError) in try Amount(String(text)) }
    entries.append(EntryDraft(account, amount))
    guard let cost else { return }
    let given = try line.read(quantity) { _ throws(LedgerError) in try amount.negated() }
    let total = try line.read(cost) { text throws(LedgerError) in try amount.cost(String(text), ofAll: isTotal) }
    // The exchange balances each of the two commodities to zero.
    let pair = [amount.commodity, total.commodity].map(\.symbol)
      // The order of code points, as hledger has it; that of Swift's texts is another.
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .joined(separator: "-")
    for part in [given, total] {
      entries.append(EntryDraft(try Account("equity:conversion:\(pair):\(part.commodity.symbol)"), part))
    }
  }

  private static func withoutStatus(_ text: Substring) -> Substring {
    text.unicodeScalars.begins(withOneOf: "*!") ? Substring(text.unicodeScalars.dropFirst()).trimmed : text
  }
}

extension Amount {
  fileprivate func negated() throws(LedgerError) -> Amount {
    let (units, isTooLarge) = (Int64(0)).subtractingReportingOverflow(units)
    if isTooLarge {
      throw LedgerError(.overflow, "\"\(self)\" is too large: there is no amount that brings it to zero.")
    }
    return Amount(units: units, commodity)
  }

  /// Returns the cost of an amount of a commodity.
  ///
  /// - Parameters:
  ///   - text: the cost.
  ///   - isTotal: true for the cost of all and not of one.
  fileprivate func cost(_ text: String, ofAll isTotal: Bool) throws(LedgerError) -> Amount {
    if isTotal {
      let total = try Amount(text)
      return units < 0 ? try total.negated() : total
    }
    let (number, symbol) = AmountText.parts(of: Array(text.utf8)[...])
    let other = try Commodity(String(decoding: symbol, as: UTF8.self))
    let price = try DecimalNumber(number, of: other)
    var total = Int128(units) * Int128(price.digits)
    // The number of decimals that the product has beyond the commodity's; below zero if it has fewer. They are taken
    // off or added one at a time, because the power of ten for all of them may be too large.
    var excess = commodity.decimals + price.decimals - other.decimals
    while excess > 0, total != 0 {
      let (tenth, rest) = total.quotientAndRemainder(dividingBy: 10)
      guard rest == 0 else {
        throw LedgerError(
          .malformed,
          "\(self) at this price don't come to an amount of \(other.symbol) with \(other.decimals) decimals: write the "
            + "whole cost, after @@.")
      }
      (total, excess) = (tenth, excess - 1)
    }
    while excess < 0, Int64(exactly: total) != nil { (total, excess) = (total * 10, excess + 1) }
    guard let units = Int64(exactly: total) else {
      throw LedgerError(
        .overflow,
        "\(self) at this price come to too much: no amount is above \(Amount(units: .max, other)).")
    }
    return Amount(units: units, other)
  }
}
