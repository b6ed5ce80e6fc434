/// Formats for numbers as people read them; no number is below zero.
package enum Units {
  /// Returns a share as a percentage without decimals: `0.123` is `12%`.
  package static func percentage(_ share: Double) -> String {
    share.isFinite ? "\(whole(share * 100))%" : "?"
  }

  /// Returns an amount of bytes in the largest unit that leaves at least 1 before the point: `1536` is `1.5 KiB`.
  package static func bytes(_ amount: Double) -> String {
    guard amount.isFinite else { return "?" }
    var rest = amount
    var unit = 0
    // A number that would be rounded to 1024 already belongs to the next unit.
    while rest >= 1023.5, unit < names.count - 1 {
      rest /= 1024
      unit += 1
    }
    return (unit == 0 || rest >= 9.95 ? whole(rest) : decimal(rest)) + " " + names[unit]
  }

  package static func bytes(_ amount: UInt64) -> String {
    bytes(Double(amount))
  }

  /// Returns bytes a second: `1536` is `1.5 KiB/s`.
  package static func rate(_ bytesPerSecond: Double) -> String {
    bytes(bytesPerSecond) + "/s"
  }

  /// Returns a load average with two decimals, as the system's own tools print it: `0.4` is `0.40`.
  package static func load(_ average: Double) -> String {
    guard average.isFinite, average < 1e9 else { return "?" }
    let hundredths = Int((average * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  private static let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  private static func whole(_ number: Double) -> String {
    Int(exactly: number.rounded()).map(String.init) ?? "?"
  }

  private static func decimal(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
