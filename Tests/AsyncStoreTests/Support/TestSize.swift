import Foundation

/// The sizes of the generated tests.
///
/// Small in a debug build, so that everybody runs them; full in CI's optimised build.
enum TestSize {
  /// The number of generated cases: `ASYNCSTORE_CASES`.
  static let cases = variable("ASYNCSTORE_CASES") ?? (isOptimized ? 100_000 : 2_000)
  /// The number of nodes in trees that must not need stack: `ASYNCSTORE_NODES`.
  static let nodes = variable("ASYNCSTORE_NODES") ?? (isOptimized ? 1_000_000 : 20_000)
  /// The size of a test that takes long in a debug build: a fifth of it there.
  static func many(_ count: Int) -> Int { isOptimized ? count : count / 5 }

  /// The one generated case to run, in place of all: `ASYNCSTORE_SEED`.
  static let seed = variable("ASYNCSTORE_SEED").map(UInt64.init)
  /// True if each seed is printed before it runs, to find one that traps: `ASYNCSTORE_VERBOSE`.
  static let isVerbose = environment["ASYNCSTORE_VERBOSE"] != nil

  /// Prints a seed where all are to be printed.
  static func note(_ seed: UInt64) {
    if isVerbose { FileHandle.standardError.write(Data("seed \(seed)\n".utf8)) }
  }

  #if DEBUG
    static let isOptimized = false
  #else
    static let isOptimized = true
  #endif

  private static let environment = ProcessInfo.processInfo.environment

  private static func variable(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
}
