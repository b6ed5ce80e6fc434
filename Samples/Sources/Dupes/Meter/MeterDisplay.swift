import Console

/// Where the meter is shown: the environment of its store.
actor MeterDisplay {
  /// How it is shown.
  enum Style {
    /// One line with a bar, drawn in place over and over.
    case bar
    /// One line after the other.
    case lines
  }

  private let style: Style
  private let columns: @Sendable () -> Int
  private let write: @Sendable (String) -> Void
  private var frame = Frame()
  private var isOpen = false

  /// - Parameters:
  ///   - columns: tells how wide the terminal is at the moment of drawing, as people change it.
  ///   - write: takes the output down.
  init(
    style: Style, columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    self.style = style
    self.columns = columns
    self.write = write
  }

  /// How often the meter is to be shown.
  nonisolated var interval: Duration { style == .bar ? .milliseconds(100) : .seconds(5) }

  /// Shows the meter as it is.
  func show(_ meter: Meter) {
    switch style {
    case .bar:
      let columns = columns()
      let line = meter.line(barWidth: min(30, columns / 4)).fitted(width: columns)
      write((isOpen ? "" : Frame.hideCursor) + frame.redraw([line]))
      isOpen = true
    case .lines:
      write(meter.line(barWidth: 0).printable + "\n")
    }
  }

  /// Leaves the terminal as it was found.
  func close() {
    guard isOpen else { return }
    write(frame.redraw([]) + Frame.showCursor)
    isOpen = false
  }
}

extension MeterDisplay {
  /// The standard error, so that the standard output is left to the result: a bar if somebody looks at it.
  static func standardError() -> MeterDisplay {
    let terminal = Terminal.standardError
    return MeterDisplay(
      style: terminal.isTerminal ? .bar : .lines,
      columns: { terminal.size.columns },
      write: { terminal.write($0) }
    )
  }
}
