/// The cause of the commit that listeners are looking at.
package enum CommitCause {
  private static let variable = ThreadVariable<AnyObject>()

  /// The current commit's cause, if it has one.
  package static var current: AnyObject? { variable.value }

  static func with(_ cause: AnyObject, _ body: () -> Void) {
    // A comparison of values made by listeners may commit to an unrelated store.
    let outer = variable.value
    variable.value = cause
    body()
    variable.value = outer
  }
}
