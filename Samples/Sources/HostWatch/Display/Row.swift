import Console

/// One line of the display: a label, a drawing that takes the available room, and a text.
struct Row: Equatable {
  enum Drawing: Equatable {
    case empty
    case sparkline([Double], ceiling: Double?)
    case bar(Double)
  }

  var label: String
  var drawing = Drawing.empty
  var text: String

  private static let labelWidth = 14
  /// The width that the text can use before it takes room from the drawing.
  private static let textWidth = 24
  private static let widestDrawing = 120

  /// Returns the line, at most `width` characters long.
  func line(width: Int) -> String {
    let label = Self.label(label)
    guard drawing != .empty else { return (label + text).fitted(width: width) }
    let room = width - label.count - 2 - max(text.count, Self.textWidth)
    let drawn = draw(width: min(Self.widestDrawing, max(0, room)))
    return (label + drawn + (drawn.isEmpty ? "" : "  ") + text).fitted(width: width)
  }

  private func draw(width: Int) -> String {
    switch drawing {
    case .empty: ""
    case .sparkline(let values, let ceiling): Sparkline.draw(values, ceiling: ceiling, width: width)
    case .bar(let share): Bar.draw(share, width: width)
    }
  }

  /// Returns the label, cut or filled up to its column.
  private static func label(_ text: String) -> String {
    let cut = text.count < labelWidth ? text : text.prefix(labelWidth - 2) + "…"
    return cut + String(repeating: " ", count: labelWidth - cut.count)
  }
}
