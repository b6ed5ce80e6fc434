/// The size of tests that take long in a debug build.
enum TestSize {
  /// A fifth in a debug build.
  static func many(_ count: Int) -> Int { isOptimized ? count : count / 5 }

  #if DEBUG
    static let isOptimized = false
  #else
    static let isOptimized = true
  #endif
}
