import AsyncStoreTesting

/// A picture of the events in a simulated network, with a lane for each host, and time from top to bottom.
struct SequenceDiagram<Message: Sendable> {
  typealias Event = SimulatedNetwork<Message>.Event

  enum Theme { case light, dark }

  private let hosts: [String]
  private let events: [Event]
  private let words: (Message) -> String
  /// The notes that begin and end a marked phase of a lane.
  private let phase: (begin: String, end: String)

  private let lane = 190
  private let row = 24
  private let left = 110
  private let top = 56

  init(_ hosts: [String], _ events: [Event], phase: (begin: String, end: String), words: @escaping (Message) -> String)
  {
    self.hosts = hosts
    self.events = events.filter { $0.kind != .started }
    self.phase = phase
    self.words = words
  }

  /// Returns the picture as SVG.
  func svg(_ theme: Theme) -> String {
    let (width, height) = (left + lane * hosts.count, y(events.count) + row)
    let colors = Colors(theme)
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\""
        + " font-family=\"-apple-system, Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"\(colors.ink)\">",
      "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\""
        + " orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"\(colors.ink)\"/></marker></defs>",
    ]
    for host in hosts {
      lines.append(
        "<line x1=\"\(x(host))\" y1=\"\(top - 16)\" x2=\"\(x(host))\" y2=\"\(height - 8)\" stroke=\"\(colors.faint)\"/>"
      )
      lines.append(text(host, x: x(host), y: top - 28, "font-weight=\"bold\" text-anchor=\"middle\""))
      lines += phases(of: host).map { rows in
        "<rect x=\"\(x(host) - 6)\" y=\"\(y(rows.lowerBound))\" width=\"12\" height=\"\(y(rows.upperBound) - y(rows.lowerBound))\""
          + " rx=\"4\" fill=\"\(colors.accent)\"/>"
      }
    }
    var time: TestClock.Instant?
    for (index, event) in events.enumerated() {
      // The text of a fault is at the position of the time.
      if event.time != time, !Self.faults.contains(event.kind) {
        lines.append(text("\(event.time)", x: 8, y: y(index) + 4, "fill=\"\(colors.faint)\""))
        time = event.time
      }
      lines += drawing(of: event, at: index, colors)
    }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private static var faults: [Event.Kind] { [.partitioned, .healed, .crashed] }

  private struct Colors {
    let ink: String
    let faint: String
    let accent: String
    let fault: String

    init(_ theme: Theme) {
      switch theme {
      case .light: (ink, faint, accent, fault) = ("#1d1d1f", "#86868b", "#0071e3", "#d70015")
      case .dark: (ink, faint, accent, fault) = ("#f5f5f7", "#98989d", "#2997ff", "#ff6961")
      }
    }
  }

  private func x(_ host: String) -> Int { left + lane / 2 + lane * (hosts.firstIndex(of: host) ?? 0) }
  private func y(_ row: Int) -> Int { top + self.row * row }

  private func drawing(of event: Event, at index: Int, _ colors: Colors) -> [String] {
    if event.kind == .sent, let receiver = event.receiver, let message = event.message {
      return arrow(from: event.host, to: receiver, number: event.number, words(message), at: index, colors)
    }
    if event.kind == .noted {
      return [text(event.text ?? "", x: x(event.host) + 12, y: y(index) + 4, "fill=\"\(colors.accent)\"")]
    }
    if Self.faults.contains(event.kind) {
      let right = left + lane * hosts.count
      return [
        "<line x1=\"\(left)\" y1=\"\(y(index))\" x2=\"\(right)\" y2=\"\(y(index))\" stroke=\"\(colors.fault)\""
          + " stroke-dasharray=\"2 4\"/>",
        text("\(event)", x: 8, y: y(index) - 4, "fill=\"\(colors.fault)\""),
      ]
    }
    return []
  }

  /// Returns an arrow to each delivery of a message, and a crossed one if the message is lost.
  private func arrow(
    from sender: String, to receiver: String, number: Int?, _ words: String, at index: Int, _ colors: Colors
  ) -> [String] {
    let ends = events.indices.filter { events[$0].number == number && [.delivered, .lost].contains(events[$0].kind) }
    let begin = (x: x(sender), y: y(index))
    // A message that is on its way at the end is drawn to the last row.
    return (ends.isEmpty ? [events.count] : ends).flatMap { end in
      let isLost = end < events.count && events[end].kind == .lost
      let target = (x: isLost ? (x(sender) + x(receiver)) / 2 : x(receiver), y: y(end))
      let color = isLost ? colors.fault : colors.ink
      let middle = (x: (begin.x + x(receiver)) / 2, y: (begin.y * 3 + target.y) / 4)
      return [
        "<line x1=\"\(begin.x)\" y1=\"\(begin.y)\" x2=\"\(target.x)\" y2=\"\(target.y)\" stroke=\"\(color)\""
          + (isLost ? "/>" : " marker-end=\"url(#head)\"/>"),
        text(isLost ? "✕ \(words)" : words, x: middle.x, y: middle.y - 6, "fill=\"\(color)\" text-anchor=\"middle\""),
      ]
    }
  }

  /// Returns the ranges of rows between a note that begins the phase and the one that ends it.
  private func phases(of host: String) -> [Range<Int>] {
    var phases: [Range<Int>] = []
    var begin: Int?
    for (index, event) in events.enumerated() where event.kind == .noted && event.host == host {
      if event.text == phase.begin { begin = begin ?? index }
      if event.text == phase.end, let first = begin {
        phases.append(first..<index)
        begin = nil
      }
    }
    return phases + (begin.map { [$0..<events.count] } ?? [])
  }

  private func text(_ words: String, x: Int, y: Int, _ attributes: String) -> String {
    let escaped = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return "<text x=\"\(x)\" y=\"\(y)\" \(attributes)>\(escaped)</text>"
  }
}
