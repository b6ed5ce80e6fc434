import Foundation

/// The instructions of one operation as bars, ours above those by hand, on a scale of powers of ten.
struct InstructionChart {
  struct Row {
    let name: String
    let words: String
    let ours: Int
    let allocations: String
    let byHand: Int?
  }

  let rows: [Row]

  private let width = 680
  private let left = 290
  private let right = 90
  private let row = 30
  private let top = 34
  /// The scale's end, as a power of ten.
  private let decades = 5

  /// Returns the picture as SVG.
  func svg(_ colors: PictureColors) -> String {
    var svg = SVG(width: width, height: top + rows.count * row + 26, colors)
    svg.text("store", x: left, y: 16, "fill=\"\(colors.accent)\"")
    svg.text("by hand", x: left + 60, y: 16, "fill=\"\(colors.faint)\"")
    svg.text("allocations", x: width - 4, y: 16, "fill=\"\(colors.faint)\" text-anchor=\"end\"")
    let bottom = top + rows.count * row
    for decade in 0...decades {
      let x = left + decade * (width - left - right) / decades
      svg.line(from: (x, top - 6), to: (x, bottom), colors.faint, "stroke-opacity=\"0.3\"")
      svg.text(Self.number(decade), x: x, y: bottom + 16, "fill=\"\(colors.faint)\" text-anchor=\"middle\"")
    }
    for (index, row) in rows.enumerated() { draw(row, at: top + index * self.row, in: &svg) }
    return svg.file
  }

  private static func number(_ decade: Int) -> String {
    ["1", "10", "100", "1,000", "10,000", "100,000"][decade]
  }

  private func draw(_ row: Row, at y: Int, in svg: inout SVG) {
    svg.text(row.name, x: 4, y: y + 13, "")
    svg.text(row.words, x: 58, y: y + 13, "")
    bar(row.ours, at: y, svg.colors.accent, in: &svg)
    if let byHand = row.byHand { bar(byHand, at: y + 11, svg.colors.faint, in: &svg) }
    svg.text(row.allocations, x: width - 4, y: y + 13, "text-anchor=\"end\"")
  }

  private func bar(_ value: Int, at y: Int, _ color: String, in svg: inout SVG) {
    let length = Int((log10(Double(max(value, 1))) / Double(decades) * Double(width - left - right)).rounded())
    svg.add("<rect x=\"\(left)\" y=\"\(y)\" width=\"\(length)\" height=\"9\" fill=\"\(color)\"/>")
    svg.text("\(value)", x: left + length + 4, y: y + 8, "fill=\"\(color)\" font-size=\"10\"")
  }
}
