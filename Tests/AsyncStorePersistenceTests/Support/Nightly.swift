import Foundation

/// How hard the tests try: `ASYNCSTORE_NIGHTLY=1` has them run at full size, and `ASYNCSTORE_STRESS` scales either.
enum Nightly {
  static let isOn = environment["ASYNCSTORE_NIGHTLY"].map { $0 != "0" } ?? false

  static func count(_ full: Int, otherwise few: Int) -> Int {
    max(1, Int(Double(isOn ? full : few) * (environment["ASYNCSTORE_STRESS"].flatMap(Double.init) ?? 1)))
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
