extension String {
  /// The text without anything that would control the terminal: no line end and no escape sequence gets through.
  ///
  /// Use it for text from elsewhere, for example names of files, which may hold anything.
  package var printable: String {
    contains(where: \.isControl) ? String(map { $0.isControl ? "?" : $0 }) : self
  }

  /// Returns the printable text, visibly cut to a number of characters.
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
