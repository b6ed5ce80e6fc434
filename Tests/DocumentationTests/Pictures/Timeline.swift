/// A picture of runs over time, from left to right: a panel for each run, a row for each effect.
struct Timeline {
  struct Mark {
    enum Kind { case point, run, cleanup, wait, cross, note }

    let kind: Kind
    let begin: Duration
    var end: Duration?
    var words = ""
  }

  struct Row {
    let name: String
    let marks: [Mark]
  }

  struct Panel {
    let title: String
    let rows: [Row]
    /// A moment that concerns all rows.
    var line: (time: Duration, words: String)?
  }

  private let panels: [Panel]
  private let legend: [(kind: Mark.Kind, words: String)]
  /// The length of the axis, and the distance of its marks.
  private let span: Duration
  private let step: Duration
  private let left: Int

  private let width = 680
  private let row = 22
  private var top: Int { legend.isEmpty ? 8 : 36 }

  init(
    _ panels: [Panel], legend: [(kind: Mark.Kind, words: String)], span: Duration, step: Duration, left: Int
  ) {
    self.panels = panels
    self.legend = legend
    self.span = span
    self.step = step
    self.left = left
  }

  /// Returns the picture as SVG.
  func svg(_ colors: PictureColors) -> String {
    let body = panels.reduce(top) { $0 + height(of: $1) }
    var svg = SVG(width: width, height: body + 34, colors)
    drawLegend(in: &svg)
    drawAxis(to: body + 8, in: &svg)
    var y = top
    for panel in panels {
      draw(panel, at: y, in: &svg)
      y += height(of: panel)
    }
    return svg.file
  }

  /// The room above the rows, for words.
  private func head(of panel: Panel) -> Int { panel.title.isEmpty && panel.line == nil ? 8 : 30 }

  private func height(of panel: Panel) -> Int { head(of: panel) + row * panel.rows.count }

  private func x(_ time: Duration) -> Int { left + Int(Double(width - left - 40) * (time / span)) }

  private func drawLegend(in svg: inout SVG) {
    var x = left
    for (kind, words) in legend {
      let isLong = [.run, .cleanup, .wait].contains(kind)
      drawSymbol(kind, from: x, to: isLong ? x + 24 : x, y: 12, in: &svg)
      svg.text(words, x: x + (isLong ? 30 : 10), y: 16, "")
      x += (isLong ? 30 : 10) + words.count * 7 + 22
    }
  }

  private func drawAxis(to bottom: Int, in svg: inout SVG) {
    var time = Duration.zero
    while time <= span {
      svg.line(from: (x(time), top), to: (x(time), bottom), svg.colors.faint, "stroke-opacity=\"0.35\"")
      svg.text(words(for: time), x: x(time), y: bottom + 16, "fill=\"\(svg.colors.faint)\" text-anchor=\"middle\"")
      time += step
    }
  }

  /// Returns the number of seconds, with at most one place.
  private func words(for time: Duration) -> String {
    let tenths = Int((time / .milliseconds(100)).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  private func draw(_ panel: Panel, at top: Int, in svg: inout SVG) {
    if !panel.title.isEmpty { svg.text(panel.title, x: 8, y: top + 18, "font-weight=\"bold\"") }
    if let line = panel.line {
      let bottom = top + height(of: panel)
      svg.line(from: (x(line.time), top + 24), to: (x(line.time), bottom), svg.colors.fault, "stroke-width=\"2\"")
      svg.text(
        line.words, x: x(line.time), y: top + 18, "fill=\"\(svg.colors.fault)\" text-anchor=\"middle\"")
    }
    for (index, row) in panel.rows.enumerated() {
      let y = top + head(of: panel) + self.row * index + self.row / 2
      svg.text(row.name, x: 8, y: y + 4, "")
      for mark in row.marks { draw(mark, at: y, in: &svg) }
    }
  }

  private func draw(_ mark: Mark, at y: Int, in svg: inout SVG) {
    let (begin, end) = (x(mark.begin), x(mark.end ?? mark.begin))
    if mark.kind == .note {
      svg.text(mark.words, x: begin + 10, y: y + 4, "fill=\"\(svg.colors.faint)\"")
      return
    }
    drawSymbol(mark.kind, from: begin, to: end, y: y, in: &svg)
    if mark.kind == .point, !mark.words.isEmpty { svg.text(mark.words, x: begin + 8, y: y + 4, "") }
  }

  private func drawSymbol(_ kind: Mark.Kind, from begin: Int, to end: Int, y: Int, in svg: inout SVG) {
    switch kind {
    case .point: svg.add("<circle cx=\"\(begin)\" cy=\"\(y)\" r=\"4\" fill=\"\(svg.colors.ink)\"/>")
    case .run: bar(from: begin, to: end, y: y, "fill=\"\(svg.colors.accent)\"", in: &svg)
    case .cleanup: bar(from: begin, to: end, y: y, "fill=\"\(svg.colors.accent)\" fill-opacity=\"0.35\"", in: &svg)
    case .wait:
      svg.line(from: (begin, y), to: (end, y), svg.colors.ink, "stroke-width=\"2\" stroke-dasharray=\"2 4\"")
    case .cross:
      svg.text("✕", x: begin, y: y + 5, "fill=\"\(svg.colors.fault)\" text-anchor=\"middle\" font-size=\"15\"")
    case .note: break
    }
  }

  private func bar(from begin: Int, to end: Int, y: Int, _ attributes: String, in svg: inout SVG) {
    svg.add("<rect x=\"\(begin)\" y=\"\(y - 6)\" width=\"\(end - begin)\" height=\"12\" rx=\"3\" \(attributes)/>")
  }
}
