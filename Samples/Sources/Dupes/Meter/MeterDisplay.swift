import Console

/// The display of the meter, which is the environment of its store.
actor MeterDisplay {
  /// The form in which the meter is shown.
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
  ///   - columns: returns the width of the terminal at the moment of drawing, as people change it.
  ///   - write: writes the output.
  init(
    style: Style, columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    self.style = style
    self.columns = columns
    self.write = write
  }

  /// The interval at which to show the meter.
  nonisolated var interval: Duration { style == .bar ? .milliseconds(100) : .seconds(5) }

  /// Shows the current state of the meter.
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

  /// Restores the terminal.
  func close() {
    guard isOpen else { return }
    write(frame.redraw([]) + Frame.showCursor)
    isOpen = false
  }
}

extension MeterDisplay {
  /// Returns a display on the standard error, so that the standard output is left to the result: a bar if it is a
  /// terminal.
  static func standardError() -> MeterDisplay {
    let terminal = Terminal.standardError
    return MeterDisplay(
      style: terminal.isTerminal ? .bar : .lines,
      columns: { terminal.size.columns },
      write: { terminal.write($0) }
    )
  }
}
