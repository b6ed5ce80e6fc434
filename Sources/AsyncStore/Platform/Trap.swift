/// Stops the program unless what a caller has to see to holds, and says what that is.
///
/// Not a `precondition`: in optimised builds, where a mistake meets its users, those say nothing.
package func trap(unless condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
