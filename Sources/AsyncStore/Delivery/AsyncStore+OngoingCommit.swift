extension AsyncStore {
  /// A commit while its closure runs: the closure's input besides the state, and its decisions.
  package struct OngoingCommit {
    /// The object that a higher module has associated with the store.
    package let object: AnyObject?
    /// True if nothing is committed: the state is unchanged, and nobody is notified.
    package var commitsNothing = false
    /// The cause that listeners see; see ``CommitCause``.
    package var cause: AnyObject?
    /// Values that the commit has replaced, or that were created for it and not used; released after the lock.
    package var released = ReleasedValues()

    package init(object: AnyObject?) { self.object = object }
  }
}
