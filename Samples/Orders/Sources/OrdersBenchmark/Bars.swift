import Foundation
import Synchronization

/// The bars that a run has come to, and those that it has missed.
final class Bars: Sendable {
  static let all = Bars()

  private let counts = Mutex((all: 0, missed: 0))

  /// Notes a bar.
  ///
  /// - Returns: the bar in words.
  func note(_ words: String, isMet: Bool) -> String {
    counts.withLock { counts in
      counts.all += 1
      if !isMet { counts.missed += 1 }
    }
    return "bar \(words): \(isMet ? "met" : "MISSED")"
  }

  /// All bars in one line, and whether each was met.
  var summary: (words: String, areMet: Bool) {
    let (all, missed) = counts.withLock { $0 }
    return ("\(all - missed) of \(all) bars met", missed == 0)
  }
}

/// The values of several rounds.
struct Rounds {
  let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { sorted[sorted.count / 2] }
  /// The median, and in brackets the smallest and the largest.
  var words: String { "\(Self.text(median)) (\(Self.text(sorted[0])) to \(Self.text(sorted[sorted.count - 1])))" }

  static func text(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(2))) }
}
