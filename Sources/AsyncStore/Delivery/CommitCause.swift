/// The cause of the commit that listeners are looking at.
package enum CommitCause {
  private static let variable = ThreadVariable<AnyObject>()

  /// The current commit's cause, if it has one.
  package static var current: AnyObject? { variable.value }

  static func with(_ cause: AnyObject?, _ body: () -> Void) {
    guard let cause else { return body() }
    variable.value = cause
    body()
    variable.value = nil
  }
}
