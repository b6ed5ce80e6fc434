/// A day of the calendar.
struct Day: Hashable, Sendable {
  let month: Month
  let day: Int

  /// Reads a day as ISO 8601 writes it, `2026-01-31`, or with slashes or points: `2026/1/31`.
  init(_ text: String) throws(LedgerError) { try self.init(Array(text.utf8)[...]) }

  /// Reads a day.
  init(_ text: ArraySlice<UInt8>) throws(LedgerError) {
    // The year, the month and the day, and the number of digits of each.
    var (numbers, lengths, part) = ([0, 0, 0], [0, 0, 0], 0)
    var separator: UInt8?
    for byte in text {
      if UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte, lengths[part] < 4 {
        numbers[part] = numbers[part] * 10 + Int(byte - UInt8(ascii: "0"))
        lengths[part] += 1
      } else if part < 2, "-/.".utf8.contains(byte), separator ?? byte == byte {
        separator = byte
        part += 1
      } else {
        throw Self.malformed(text)
      }
    }
    guard lengths[0] == 4, 1...2 ~= lengths[1], 1...2 ~= lengths[2],
      let month = Month(year: numbers[0], month: numbers[1]), 1...month.days ~= numbers[2]
    else { throw Self.malformed(text) }
    self.month = month
    day = numbers[2]
  }

  private static func malformed(_ text: ArraySlice<UInt8>) -> LedgerError {
    LedgerError(.malformed, "\"\(String(decoding: text, as: UTF8.self))\" is not a day: write it as 2026-01-31.")
  }
}

extension Day: Comparable {
  static func < (left: Day, right: Day) -> Bool { (left.month, left.day) < (right.month, right.day) }
}

extension Day: CustomStringConvertible {
  var description: String { "\(month)-\(day < 10 ? "0" : "")\(day)" }
}

/// A month of a year.
struct Month: Hashable, Sendable {
  let year: Int
  /// The month, from 1 to 12.
  let month: Int

  /// Creates a month, or returns `nil` if years have no such month.
  init?(year: Int, month: Int) {
    guard 0...9_999 ~= year, 1...12 ~= month else { return nil }
    self.year = year
    self.month = month
  }

  /// The number of days in the month.
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
