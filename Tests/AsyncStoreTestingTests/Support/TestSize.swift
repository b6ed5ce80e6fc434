/// The size of tests that take long in a debug build.
enum TestSize {
  #if DEBUG
    static let isOptimized = false
  #else
    static let isOptimized = true
  #endif
}
