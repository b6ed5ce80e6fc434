/// The kind of a change, which decides when observers are notified.
enum StateChange {
  /// No change.
  case none
  /// Observers see the change with the next commit, except those that ask for silent changes.
  case silent
  case commit(because: AnyObject? = nil)

  var isChange: Bool { if case .none = self { false } else { true } }
}
