/// Stops the program with a message unless a condition holds that callers have to ensure.
///
/// This is not a `precondition`, which prints no message in optimized builds, where users meet a mistake.
package func trap(unless condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
