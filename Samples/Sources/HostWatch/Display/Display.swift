import Console

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The display of the dashboard, which is the environment of its store.
actor Display {
  /// The form in which the dashboard is shown.
  enum Style {
    /// Drawn in place, over and over.
    case frames
    /// One line after the other.
    case lines
    /// One JSON object a line.
    case json
  }

  private let style: Style
  private let size: @Sendable () -> (columns: Int, lines: Int)
  private let date: @Sendable () -> Date
  private let write: @Sendable (String) -> Void
  private var frame = Frame()

  /// - Parameters:
  ///   - size: returns the size of the terminal at the moment of drawing, as people change it.
  ///   - date: returns the time for the reports.
  ///   - write: writes the output.
  init(
    style: Style,
    size: @escaping @Sendable () -> (columns: Int, lines: Int),
    date: @escaping @Sendable () -> Date,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.style = style
    self.size = size
    self.date = date
    self.write = write
  }

  /// Prepares the output.
  func open() {
    if style == .frames { write(Frame.hideCursor) }
  }

  /// Shows the current state of the dashboard.
  func show(_ dashboard: Dashboard) throws {
    switch style {
    case .frames:
      let (columns, lines) = size()
      write(frame.redraw(dashboard.lines(width: columns, height: lines)))
    case .lines:
      write(date().formatted(.iso8601) + " " + dashboard.line + "\n")
    case .json:
      write(try Report(dashboard, at: date()).json() + "\n")
    }
  }

  /// Restores the output.
  func close() {
    if style == .frames { write(Frame.showCursor) }
  }
}

extension Display {
  /// Returns a display on the standard output, drawn in place if it is a terminal.
  static func standardOutput(json: Bool) -> Display {
    let terminal = Terminal.standardOutput
    return Display(
      style: json ? .json : terminal.isTerminal ? .frames : .lines,
      size: { terminal.size },
      date: { .now },
      write: { terminal.write($0) }
    )
  }
}
