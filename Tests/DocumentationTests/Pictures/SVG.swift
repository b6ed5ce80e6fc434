/// The text of a picture, element by element.
struct SVG {
  let colors: PictureColors
  private var lines: [String]

  init(width: Int, height: Int, _ colors: PictureColors) {
    self.colors = colors
    lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\""
        + " font-family=\"-apple-system, Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"\(colors.ink)\">"
    ]
  }

  /// The picture's file.
  var file: String { (lines + ["</svg>"]).joined(separator: "\n") + "\n" }

  mutating func add(_ line: String) { lines.append(line) }

  mutating func line(from begin: (x: Int, y: Int), to end: (x: Int, y: Int), _ color: String, _ attributes: String = "")
  {
    add(
      "<line x1=\"\(begin.x)\" y1=\"\(begin.y)\" x2=\"\(end.x)\" y2=\"\(end.y)\" stroke=\"\(color)\""
        + (attributes.isEmpty ? "/>" : " \(attributes)/>"))
  }

  mutating func text(_ words: String, x: Int, y: Int, _ attributes: String) {
    let escaped = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    add("<text x=\"\(x)\" y=\"\(y)\"\(attributes.isEmpty ? "" : " " + attributes)>\(escaped)</text>")
  }
}
