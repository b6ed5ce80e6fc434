extension AsyncStore {
  /// A commit while its closure runs: what the closure may use beside the state, and what it decides.
  package struct OngoingCommit {
    /// The object that a module on top has associated with the store.
    package let object: AnyObject?
    /// True if nothing is committed: the state is as it was, and nobody is told.
    package var commitsNothing = false
    /// The cause that listeners see; see ``CommitCause``.
    package var cause: AnyObject?
    /// Values that the commit has replaced, or that were made for it and not used; released after the lock.
    package var released = ReleasedValues()

    package init(object: AnyObject?) { self.object = object }
  }
}
