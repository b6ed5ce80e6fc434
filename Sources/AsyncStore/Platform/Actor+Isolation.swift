import CAsyncStore

extension Actor {
  /// True if this thread is on the actor, false if it is not; `nil` if only a check that traps would tell.
  ///
  /// `#isolation` is no proof: to a method that was converted to a function of an actor, Swift 6.3 names the actor
  /// without going to it.
  nonisolated var isCurrent: Bool? {
    // The two words are the executor and the way to call it, which is null for an actor's default executor.
    let (identity, implementation) = unsafeBitCast(unownedExecutor, to: (UnsafeRawPointer, UInt).self)
    // A user's own executor may know more if the runtime asks it with `preconditionIsolated`.
    let isMain = self === MainActor.shared
    guard implementation == 0 || isMain else { return nil }
    let answer = asyncStoreIsOnExecutor(identity, implementation, isMain)
    return answer < 0 ? nil : answer == 1
  }

  /// Stops the program with a message unless this thread is on the actor.
  ///
  /// `preconditionIsolated` alone would not print the message: the runtime stops the program first, with a message of
  /// its own.
  nonisolated func trapUnlessIsolated(_ message: @autoclosure () -> String) {
    trap(unless: isCurrent != false, message())
    preconditionIsolated(message())
  }
}
