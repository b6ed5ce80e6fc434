import Foundation

/// The size of the tests: `ASYNCSTORE_NIGHTLY=1` runs them at full size.
enum TestSize {
  static let isNightly = ProcessInfo.processInfo.environment["ASYNCSTORE_NIGHTLY"].map { $0 != "0" } ?? false
}
