extension AsyncStore {
  // MARK: Updating

  /// Changes the state in one commit and returns a value.
  ///
  /// Use it if the caller has to know what the change found or made, for example to take a number or to claim a place.
  /// For a change without a result, use `receive(.set { … })`; for a change that continues with an effect, use the
  /// effect ``Effect/update(_:file:line:)``.
  ///
  /// ```swift
  /// let ticket = store.update { state in
  ///   state.count += 1
  ///   return state.count
  /// }
  /// // ticket == 1
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: the caller's isolation; leave it to the compiler.
  ///   - body: runs once, before this returns, while the store is locked. Its whole change is one commit; nobody sees
  ///     half of it. Observers are notified before this returns, unless this thread or another one is notifying them of
  ///     earlier commits: that thread then continues with this commit. The body must not call its own store: that
  ///     traps. A `body` that can throw receives a copy, which becomes the state when it returns; so an array that it
  ///     changes is copied once.
  /// - Returns: the result of `body`; `nil` if the store is not active, in which case `body` has not run.
  /// - Throws: the error of `body`; nothing is committed then.
  ///
  /// **Cancellation.** The call does not suspend, and no cancel reaches it.
  ///
  /// **Isolation.** For a store that is bound to an actor, the caller has to be on that actor, or the program traps,
  /// because a result can't wait for a turn. From elsewhere, call it in a function of the actor; for the main actor, in
  /// `MainActor.run`.
  ///
  /// - Complexity: one lock and `body`; no allocation, no task.
  @inlinable
  public func update<Answer, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ body: (inout State) throws(Failure) -> Answer
  ) throws(Failure) -> Answer? {
    // The closure has the caller's types, so it is compiled where they are known.
    var result: Result<Answer, Failure>?
    // The copy, or the state that it replaces, is released after the lock.
    var draft: State?
    defer { withExtendedLifetime(draft) {} }
    update(isolation: isolation, at: CallSite(file: file, line: line)) { state in
      let state = state.assumingMemoryBound(to: State.self)
      if Failure.self == Never.self {
        result = Self.result(of: body, &state.pointee)
        return true
      }
      draft = state.pointee
      result = Self.result(of: body, &draft!)
      guard case .success = result else { return false }
      swap(&state.pointee, &draft!)
      return true
    }
    return try result?.get()
  }

  @inlinable
  @inline(__always)
  static func result<Answer, Failure: Error>(
    of body: (inout State) throws(Failure) -> Answer, _ state: inout State
  ) -> Result<Answer, Failure> {
    do throws(Failure) { return .success(try body(&state)) } catch { return .failure(error) }
  }

  /// Unavailable for effects, which `update` would return without interpreting them.
  @available(*, unavailable, message: "an effect is not interpreted here; use 'receive(.update { … })'")
  public func update(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ body: (inout State) throws -> Effect
  ) {}
}
