/// An actor to bind a store to.
actor Desk {
  /// Runs a body on the actor.
  func run<Value: Sendable>(_ body: @Sendable (isolated Desk) throws -> Value) rethrows -> Value { try body(self) }
}
