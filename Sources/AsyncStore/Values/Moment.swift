/// A point in the store's time: nanoseconds since the origin of its clock, saturating at both ends.
@usableFromInline
package struct Moment: Hashable, Comparable, Sendable {
  /// A length of time in nanoseconds; one made from a `Duration` is rounded up, so that a deadline is never early.
  package typealias Span = Int64

  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  static let zero = Moment(nanoseconds: 0)

  @usableFromInline
  package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

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
  /// Creates `span * count`, without a 128-bit multiplication where 64 bits are enough.
  init(nanoseconds span: Moment.Span, times count: Int64) {
    let (product, overflow) = span.multipliedReportingOverflow(by: count)
    self = overflow ? .nanoseconds(span) * count : .nanoseconds(product)
  }

  /// The nanoseconds of this duration, rounded up, saturating after 292 years.
  var nanosecondsRoundedUp: Moment.Span {
    let (whole, hasRest) = nanoseconds
    return hasRest && whole < .max ? whole + 1 : whole
  }

  /// The nanoseconds of this duration, rounded down.
  package var nanosecondsRoundedDown: Moment.Span {
    let whole = nanoseconds.whole
    // Division rounds towards zero.
    let isAbove = attoseconds < 0 && Int128(whole) * 1_000_000_000 > attoseconds
    return isAbove && whole > .min ? whole - 1 : whole
  }

  private var nanoseconds: (whole: Moment.Span, hasRest: Bool) {
    // Fast path: durations under 18 s fit in 64 bits.
    if attoseconds >= 0, attoseconds <= Int128(UInt64.max) {
      let attoseconds = UInt64(truncatingIfNeeded: attoseconds)
      return (Moment.Span(attoseconds / 1_000_000_000), attoseconds % 1_000_000_000 > 0)
    }
    // Only one division, which is a call; the remainder is found by multiplying.
    let quotient = attoseconds / 1_000_000_000
    return (Moment.Span(clamping: quotient), quotient * 1_000_000_000 < attoseconds)
  }
}
