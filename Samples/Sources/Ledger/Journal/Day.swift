/// A day of the calendar.
struct Day: Hashable, Sendable {
  let month: Month
  let day: Int

  /// Reads a day as ISO 8601 writes it: `2026-01-31`.
  init(_ text: String) throws(LedgerError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 } ? Int(part) : nil
    }
    guard parts.map(\.count) == [4, 2, 2], numbers.count == 3, let month = Month(year: numbers[0], month: numbers[1]),
      1...month.days ~= numbers[2]
    else { throw LedgerError(.malformed, "\"\(text)\" is not a day: write it as 2026-01-31.") }
    self.month = month
    day = numbers[2]
  }
}

extension Day: CustomStringConvertible {
  var description: String { "\(month)-\(day < 10 ? "0" : "")\(day)" }
}

/// A month of a year.
struct Month: Hashable, Sendable {
  let year: Int
  /// From 1 to 12.
  let month: Int

  /// The month, or `nil` if years have no such month.
  init?(year: Int, month: Int) {
    guard 0...9_999 ~= year, 1...12 ~= month else { return nil }
    self.year = year
    self.month = month
  }

  /// How many days it has.
  var days: Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Month: Comparable {
  static func < (left: Month, right: Month) -> Bool { (left.year, left.month) < (right.year, right.month) }
}

extension Month: CustomStringConvertible {
  var description: String {
    let digits = String(10_000 + year).dropFirst()
    return "\(digits)-\(month < 10 ? "0" : "")\(month)"
  }
}
