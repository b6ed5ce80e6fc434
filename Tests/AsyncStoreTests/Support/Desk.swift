/// An actor on which commits happen, with the lines that they note there.
actor Desk {
  private(set) var notes: [String] = []

  func note(_ line: String) { notes.append(line) }

  /// Runs a body on the actor.
  func run<Value: Sendable>(_ body: @Sendable (isolated Desk) throws -> Value) rethrows -> Value { try body(self) }
}
