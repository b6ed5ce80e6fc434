/// A point on the store's time line: nanoseconds since an origin that the store's clock has, saturating at both ends.
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
    let (whole, hasRest) = nanoseconds
    return hasRest && whole < .max ? whole + 1 : whole
  }

  /// The nanoseconds, without the part of one that is left.
  var nanosecondsRoundedDown: Moment.Span { nanoseconds.whole }

  private var nanoseconds: (whole: Moment.Span, hasRest: Bool) {
    // What takes less than 18 seconds needs no division of 128 bits.
    if let attoseconds = UInt64(exactly: attoseconds) {
      return (Moment.Span(attoseconds / 1_000_000_000), attoseconds % 1_000_000_000 > 0)
    }
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return (Moment.Span(clamping: quotient), remainder > 0)
  }
}
