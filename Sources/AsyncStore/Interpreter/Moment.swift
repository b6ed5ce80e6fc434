/// A point on the store's time line: nanoseconds since the store was made, saturating at both ends.
struct Moment: Hashable, Comparable, Sendable {
  /// A length of time in nanoseconds, rounded up where it comes from a `Duration`: a deadline is never early.
  typealias Span = Int64

  var nanoseconds: Int64

  static let zero = Moment(nanoseconds: 0)

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  func advanced(by span: Span) -> Moment {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
    return Moment(nanoseconds: overflow ? (span < 0 ? .min : .max) : sum)
  }

  func distance(to other: Moment) -> Span {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return overflow ? (other > self ? .max : .min) : difference
  }
}

extension Duration {
  /// The nanoseconds of this duration, rounded up, saturating after 292 years.
  var nanosecondsRoundedUp: Moment.Span {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let part = attoseconds / 1_000_000_000 + (attoseconds % 1_000_000_000 > 0 ? 1 : 0)
    let (sum, sumOverflow) = whole.addingReportingOverflow(part)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
