import Foundation

/// The size of the tests.
///
/// `ASYNCSTORE_NIGHTLY=1` runs them at full size, and `ASYNCSTORE_STRESS` scales either size.
enum Nightly {
  static let isOn = environment["ASYNCSTORE_NIGHTLY"].map { $0 != "0" } ?? false

  static func count(_ full: Int, otherwise few: Int) -> Int {
    max(1, Int(Double(isOn ? full : few) * (environment["ASYNCSTORE_STRESS"].flatMap(Double.init) ?? 1)))
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
