/// A share as a bar of one line of text.
package enum Bar {
  /// The characters for an edge that is filled to a number of eighths.
  private static let eighths: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// Draws a share from 0 to 1 as a bar that is `width` characters long when it is full.
  package static func draw(_ share: Double, width: Int) -> String {
    let width = max(0, width)
    let share = share.isNaN ? 0 : min(1, max(0, share))
    let filled = Int((share * Double(width * 8)).rounded())
    let bar = String(repeating: "█", count: filled / 8)
    guard filled / 8 < width else { return bar }
    let edge = String(eighths[filled % 8])
    return bar + edge + String(repeating: " ", count: width - bar.count - 1)
  }
}
