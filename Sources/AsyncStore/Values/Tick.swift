/// A timer's tick; a single object, which the shell passes on unchanged.
final class Tick: Sendable {
  let interval: Moment.Span
  let index: Int64
  let missed: Int64
  let due: Moment

  init(interval: Moment.Span, index: Int64, missed: Int64, due: Moment) {
    self.interval = interval
    self.index = index
    self.missed = missed
    self.due = due
  }
}

extension Tick: Equatable {
  static func == (left: Tick, right: Tick) -> Bool {
    (left.interval, left.index, left.missed, left.due) == (right.interval, right.index, right.missed, right.due)
  }
}
