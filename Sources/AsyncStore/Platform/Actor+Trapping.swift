import CAsyncStore

extension Actor {
  /// Stops the program with a message unless this thread is on the actor.
  ///
  /// `preconditionIsolated` alone would not print the message: the runtime stops the program before, in words of its
  /// own.
  nonisolated func trapUnlessIsolated(_ message: @autoclosure () -> String) {
    // The words are the executor and how it is called: null for that of an actor that has none of its own.
    let (identity, implementation) = unsafeBitCast(unownedExecutor, to: (UnsafeRawPointer, UInt).self)
    // An executor that a user has written may know more, if the runtime asks it in earnest.
    if implementation == 0 || self === MainActor.shared {
      trap(unless: asyncStoreMayBeOnExecutor(identity, implementation), message())
    }
    preconditionIsolated(message())
  }
}
