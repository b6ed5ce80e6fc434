extension Unicode.Scalar {
  /// True if it controls a terminal or breaks a line.
  var isControl: Bool {
    if value < 0x80 { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// The scalar's number and, if it has one, its name: `U+2028 LINE SEPARATOR`.
  var title: String {
    let digits = String(value, radix: 16, uppercase: true)
    let name = properties.name.map { " " + $0 } ?? ""
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + name
  }
}

extension StringProtocol {
  /// Returns the parts between the marks, even if combining marks follow these; some may be empty.
  func parts(by mark: Unicode.Scalar) -> [SubSequence] {
    unicodeScalars.split(omittingEmptySubsequences: false) { $0 == mark }.map { self[$0.startIndex..<$0.endIndex] }
  }

  /// True if the text begins or ends with a space of any kind, even if a combining mark follows.
  var hasBlankEnd: Bool {
    [unicodeScalars.first, unicodeScalars.last].contains { $0?.properties.isWhitespace == true }
  }
}

extension BidirectionalCollection<Unicode.Scalar> {
  /// Returns whether the first scalar is one of these, even if a combining mark follows.
  func begins(withOneOf scalars: String) -> Bool { first.map(scalars.unicodeScalars.contains) == true }
}

extension String {
  /// True if it contains a control character or a line break of any kind.
  var hasUnprintable: Bool { unicodeScalars.contains(where: \.isControl) }

  /// Refuses a text that is empty, or more than a line of text.
  func checkPrintable() throws(LedgerError) {
    if isEmpty { throw LedgerError(.malformed, "There has to be a text here.") }
    guard let control = unicodeScalars.first(where: \.isControl) else { return }
    throw LedgerError(
      .malformed,
      control == "\n" || control == "\r"
        ? "There is a line break in this text; it has to be one line."
        : "There is a control character in this text, \(control.title).")
  }

  /// The text with its control characters, except line breaks, as Swift writes them: `\u{1B}`.
  var printable: String {
    escapingControls { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// Returns the text with its control characters, except line breaks, as the given function writes them.
  func escapingControls(_ escape: (Unicode.Scalar) -> String) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isControl, scalar != "\n" { text += escape(scalar) } else { text.unicodeScalars.append(scalar) }
    }
  }
}
