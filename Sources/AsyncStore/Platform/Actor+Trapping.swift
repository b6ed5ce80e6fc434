import CAsyncStore

extension Actor {
  /// Stops the program with a message unless this thread is on the actor.
  ///
  /// `preconditionIsolated` alone would not print the message: the runtime stops the program first, with a message of
  /// its own.
  nonisolated func trapUnlessIsolated(_ message: @autoclosure () -> String) {
    // The two words are the executor and the way to call it, which is null for an actor's default executor.
    let (identity, implementation) = unsafeBitCast(unownedExecutor, to: (UnsafeRawPointer, UInt).self)
    // A user's own executor may know more if the runtime asks it with `preconditionIsolated`.
    if implementation == 0 || self === MainActor.shared {
      trap(unless: asyncStoreMayBeOnExecutor(identity, implementation), message())
    }
    preconditionIsolated(message())
  }
}
