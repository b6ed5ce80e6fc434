import CAsyncStore

extension Actor {
  /// True if this thread may be on the actor; false if it certainly is not.
  ///
  /// `#isolation` alone is no proof: in a nonsending function that was converted to one of an actor, Swift 6.3 names
  /// the actor without going to it. On Apple's platforms, only the runtime's own checks know more, and they trap.
  nonisolated var mayBeCurrent: Bool {
    // The two words are the executor and the way to call it, which is null for an actor's default executor.
    let (identity, implementation) = unsafeBitCast(unownedExecutor, to: (UnsafeRawPointer, UInt).self)
    // A user's own executor may know more if the runtime asks it with `preconditionIsolated`.
    guard implementation == 0 || self === MainActor.shared else { return true }
    return asyncStoreMayBeOnExecutor(identity, implementation)
  }

  /// Stops the program with a message unless this thread is on the actor.
  ///
  /// `preconditionIsolated` alone would not print the message: the runtime stops the program first, with a message of
  /// its own.
  nonisolated func trapUnlessIsolated(_ message: @autoclosure () -> String) {
    trap(unless: mayBeCurrent, message())
    preconditionIsolated(message())
  }
}
