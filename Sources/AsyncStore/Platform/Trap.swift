/// Stops the program with a message unless a condition holds that callers have to ensure.
///
/// It is not a `precondition`, because in optimised builds, where users meet a mistake, that prints no message.
package func trap(unless condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
