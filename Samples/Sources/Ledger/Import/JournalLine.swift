/// A line of a journal, with the places of its parts.
struct JournalLine {
  let text: Substring
  let number: Int
  let file: String

  /// True if the line continues the lines before it.
  var isIndented: Bool { text.first?.isWhitespace == true && !isBlank }
  var isBlank: Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
  /// True if the whole line is a comment.
  var isComment: Bool { text.unicodeScalars.begins(withOneOf: ";#*") || trimmed.unicodeScalars.first == ";" }
  var trimmed: Substring { text.trimmed }

  /// Reads a part of the line; an error gets its place.
  func read<Value>(_ part: Substring, _ body: (Substring) throws(LedgerError) -> Value) throws(LedgerError) -> Value {
    do {
      return try body(part)
    } catch {
      throw self.error(error.code, error.reason, at: part)
    }
  }

  func error(_ code: LedgerError.Code, _ reason: String, at part: Substring) -> LedgerError {
    let column = text.distance(from: text.startIndex, to: part.startIndex) + 1
    return LedgerError(code, reason, at: LedgerError.Place(file: file, line: number, column: column))
  }

  /// Refuses control characters, which are line breaks to some programs only.
  func check() throws(LedgerError) {
    guard let index = text.unicodeScalars.firstIndex(where: { $0.isControl && $0 != "\t" }) else { return }
    throw error(
      .malformed, "There is a control character here, \(text.unicodeScalars[index].title).", at: text[index...])
  }

  /// Refuses an odd space directly behind the name of a commodity without quotes.
  ///
  /// hledger ends such a name at a space of ASCII, and reads any other as a part of it: it would be another commodity
  /// there. Behind a number or a quote it passes over all of them.
  ///
  /// - Parameter amount: a part of the line, trimmed.
  func checkEnd(ofAmount amount: Substring) throws(LedgerError) {
    guard let last = amount.unicodeScalars.last, !"0123456789.,\"".unicodeScalars.contains(last),
      let next = text.unicodeScalars[amount.endIndex...].first, next.properties.isWhitespace, !next.isASCII
    else { return }
    throw error(
      .malformed, "hledger reads the space here, \(next.title), as a part of the commodity's name.",
      at: text[amount.endIndex...])
  }
}

extension Substring {
  var trimmed: Substring {
    let start = unicodeScalars.drop(while: \.properties.isWhitespace)
    let end = start.lastIndex { !$0.properties.isWhitespace }.map(start.index(after:)) ?? start.startIndex
    return self[start.startIndex..<end]
  }

  /// Splits at the first occurrence of a mark, even if a combining mark follows; both parts are trimmed, and the second
  /// is missing if the mark is.
  func divided(at mark: Unicode.Scalar) -> (Substring, Substring?) { divided(at: unicodeScalars.firstIndex(of: mark)) }

  /// Splits around the scalar at an index; both parts are trimmed, and the second is missing without an index.
  func divided(at index: Index?) -> (Substring, Substring?) {
    guard let index else { return (trimmed, nil) }
    return (self[..<index].trimmed, self[unicodeScalars.index(after: index)...].trimmed)
  }

  /// Returns the places of a mark outside of quotes, in which a commodity's name may be.
  func unquotedIndices(of mark: Unicode.Scalar) -> [Index] {
    var isQuoted = false
    return unicodeScalars.indices.filter { index in
      if unicodeScalars[index] == "\"" { isQuoted.toggle() }
      return !isQuoted && unicodeScalars[index] == mark
    }
  }
}
