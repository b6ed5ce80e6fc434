import AsyncStoreTesting

/// A picture of the events in a simulated network, with a lane for each host, and time from top to bottom.
struct SequenceDiagram<Message: Sendable> {
  typealias Event = SimulatedNetwork<Message>.Event

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
  func svg(_ colors: PictureColors) -> String {
    let (width, height) = (left + lane * hosts.count, y(events.count) + row)
    var svg = SVG(width: width, height: height, colors)
    svg.add(
      "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\""
        + " orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"\(colors.ink)\"/></marker></defs>")
    for host in hosts {
      svg.line(from: (x(host), top - 16), to: (x(host), height - 8), colors.faint)
      svg.text(host, x: x(host), y: top - 28, "font-weight=\"bold\" text-anchor=\"middle\"")
      for rows in phases(of: host) {
        svg.add(
          "<rect x=\"\(x(host) - 6)\" y=\"\(y(rows.lowerBound))\" width=\"12\" height=\"\(y(rows.upperBound) - y(rows.lowerBound))\""
            + " rx=\"4\" fill=\"\(colors.accent)\"/>")
      }
    }
    var time: TestClock.Instant?
    for (index, event) in events.enumerated() {
      // The text of a fault is at the position of the time.
      if event.time != time, !Self.faults.contains(event.kind) {
        svg.text("\(event.time)", x: 8, y: y(index) + 4, "fill=\"\(colors.faint)\"")
        time = event.time
      }
      draw(event, at: index, in: &svg)
    }
    return svg.file
  }

  private static var faults: [Event.Kind] { [.partitioned, .healed, .crashed] }

  private func x(_ host: String) -> Int { left + lane / 2 + lane * (hosts.firstIndex(of: host) ?? 0) }
  private func y(_ row: Int) -> Int { top + self.row * row }

  private func draw(_ event: Event, at index: Int, in svg: inout SVG) {
    let colors = svg.colors
    if event.kind == .sent, let receiver = event.receiver, let message = event.message {
      drawArrow(from: event.host, to: receiver, number: event.number, words(message), at: index, in: &svg)
    } else if event.kind == .noted {
      svg.text(event.text ?? "", x: x(event.host) + 12, y: y(index) + 4, "fill=\"\(colors.accent)\"")
    } else if Self.faults.contains(event.kind) {
      let right = left + lane * hosts.count
      svg.line(from: (left, y(index)), to: (right, y(index)), colors.fault, "stroke-dasharray=\"2 4\"")
      svg.text("\(event)", x: 8, y: y(index) - 4, "fill=\"\(colors.fault)\"")
    }
  }

  /// Draws an arrow to each delivery of a message, and a crossed one if the message is lost.
  private func drawArrow(
    from sender: String, to receiver: String, number: Int?, _ words: String, at index: Int, in svg: inout SVG
  ) {
    let ends = events.indices.filter { events[$0].number == number && [.delivered, .lost].contains(events[$0].kind) }
    let begin = (x: x(sender), y: y(index))
    // A message that is on its way at the end is drawn to the last row.
    for end in ends.isEmpty ? [events.count] : ends {
      let isLost = end < events.count && events[end].kind == .lost
      let target = (x: isLost ? (x(sender) + x(receiver)) / 2 : x(receiver), y: y(end))
      let color = isLost ? svg.colors.fault : svg.colors.ink
      let middle = (x: (begin.x + x(receiver)) / 2, y: (begin.y * 3 + target.y) / 4)
      svg.line(from: begin, to: target, color, isLost ? "" : "marker-end=\"url(#head)\"")
      svg.text(
        isLost ? "✕ \(words)" : words, x: middle.x, y: middle.y - 6, "fill=\"\(color)\" text-anchor=\"middle\"")
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
}
