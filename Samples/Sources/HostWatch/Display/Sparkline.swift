/// A curve of one line of text, a character for each value.
enum Sparkline {
  private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Draws the newest values that fit in `width` characters, the last at the right end.
  ///
  /// - Parameter ceiling: the value that is drawn at full height, or `nil` for the greatest of those drawn.
  static func draw(_ values: [Double], ceiling: Double? = nil, width: Int) -> String {
    let shown = values.suffix(max(0, width))
    let top = ceiling ?? shown.max() ?? 0
    let padding = String(repeating: " ", count: max(0, width) - shown.count)
    return padding + String(shown.map { level(of: $0, below: top) })
  }

  private static func level(of value: Double, below top: Double) -> Character {
    guard top > 0, value > 0 else { return levels[0] }
    let share = min(1, value / top)
    return levels[min(levels.count - 1, Int(share * Double(levels.count)))]
  }
}
