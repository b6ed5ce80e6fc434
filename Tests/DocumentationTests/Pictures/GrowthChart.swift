import Foundation

/// A chart of how the cost of one operation grows with the number of operations: a panel for each workload, both axes
/// in powers of ten.
///
/// A level line is a cost that does not depend on the number.
struct GrowthChart {
  struct Panel {
    let title: String
    let points: [(size: Int, ours: Double, byHand: Double)]
  }

  /// The machine on which it was measured.
  let machine: String
  let panels: [Panel]

  private let width = 680
  private let columns = 3
  private let plot = (width: 160, height: 100)
  private let cell = (width: 224, height: 166)
  /// Both scales' ends, as powers of ten: sizes from 1, nanoseconds from 1.
  private let decades = 6

  /// Returns the picture as SVG.
  func svg(_ colors: PictureColors) -> String {
    let lines = (panels.count + columns - 1) / columns
    var svg = SVG(width: width, height: 30 + lines * cell.height, colors)
    svg.text("store", x: 44, y: 16, "fill=\"\(colors.accent)\"")
    svg.text("by hand", x: 100, y: 16, "fill=\"\(colors.faint)\"")
    let scale = "nanoseconds for one, by how many; \(machine)"
    svg.text(scale, x: width - 4, y: 16, "fill=\"\(colors.faint)\" text-anchor=\"end\"")
    for (index, panel) in panels.enumerated() {
      draw(panel, at: (44 + index % columns * cell.width, 52 + index / columns * cell.height), in: &svg)
    }
    return svg.file
  }

  private func draw(_ panel: Panel, at origin: (x: Int, y: Int), in svg: inout SVG) {
    let faint = svg.colors.faint
    svg.text(panel.title, x: origin.x, y: origin.y - 8, "font-size=\"12\"")
    for decade in stride(from: 0, through: decades, by: 2) {
      let (x, y) = place(pow(10, Double(decade)), pow(10, Double(decade)), origin)
      svg.line(from: (origin.x, y), to: (origin.x + plot.width, y), faint, "stroke-opacity=\"0.3\"")
      let label = ["1", "100", "10⁴", "10⁶"][decade / 2]
      svg.text(label, x: origin.x - 4, y: y + 4, "fill=\"\(faint)\" font-size=\"10\" text-anchor=\"end\"")
      let bottom = origin.y + plot.height + 14
      svg.text(label, x: x, y: bottom, "fill=\"\(faint)\" font-size=\"10\" text-anchor=\"middle\"")
    }
    line(panel.points.map { ($0.size, $0.byHand) }, faint, origin, in: &svg)
    line(panel.points.map { ($0.size, $0.ours) }, svg.colors.accent, origin, in: &svg)
  }

  private func place(_ size: Double, _ cost: Double, _ origin: (x: Int, y: Int)) -> (x: Int, y: Int) {
    func part(_ value: Double, of length: Int) -> Int {
      Int((log10(max(value, 1)) / Double(decades) * Double(length)).rounded())
    }
    return (origin.x + part(size, of: plot.width), origin.y + plot.height - part(cost, of: plot.height))
  }

  private func line(
    _ points: [(size: Int, cost: Double)], _ color: String, _ origin: (x: Int, y: Int), in svg: inout SVG
  ) {
    let places = points.map { place(Double($0.size), $0.cost, origin) }
    let path = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    svg.add("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\"/>")
    for (x, y) in places { svg.add("<circle cx=\"\(x)\" cy=\"\(y)\" r=\"2.5\" fill=\"\(color)\"/>") }
  }
}
