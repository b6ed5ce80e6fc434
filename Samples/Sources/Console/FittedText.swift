extension String {
  /// The text without anything that would steer the terminal: no line end and no escape sequence gets through.
  ///
  /// For what comes from elsewhere, for example names of files, and may hold anything.
  package var printable: String {
    contains(where: \.isControl) ? String(map { $0.isControl ? "?" : $0 }) : self
  }

  /// The printable text, cut to so many characters, which shows.
  package func fitted(width: Int) -> String {
    let printable = printable
    guard printable.count > width else { return printable }
    return width > 0 ? printable.prefix(width - 1) + "…" : ""
  }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
