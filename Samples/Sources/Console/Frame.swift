/// Lines that replace those drawn before, by the escape sequences that all terminals understand.
package struct Frame {
  /// The number of lines by which the cursor stands below the first one.
  private var drawn = 0

  package init() {}

  package static let hideCursor = "\u{1B}[?25l"
  package static let showCursor = "\u{1B}[?25h"

  /// Returns the text that replaces the last frame with these lines.
  package mutating func redraw(_ lines: [String]) -> String {
    let home = drawn > 0 ? "\u{1B}[\(drawn)A\r" : "\r"
    drawn = lines.count
    // Each line is cleared from its end, and the lines left below from the cursor, so that nothing flickers, as it
    // would if everything were cleared first.
    return home + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }
}
