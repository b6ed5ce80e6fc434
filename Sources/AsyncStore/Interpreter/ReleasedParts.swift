/// The parts that fibers have released.
///
/// They may hold the last references to objects of users, whose release may call the store. So the machine keeps them
/// until the shell has released the lock.
struct ReleasedParts<P: Program>: ~Copyable {
  private(set) var programs = UniqueArray<P>()
  private var failures = UniqueArray<P.Failure>()
  /// Identifiers that are out of use.
  private var identifiers = UniqueArray<P.Identifier>()

  mutating func append(_ program: consuming P) { programs.append(consume program) }
  mutating func append(failure: consuming P.Failure) { failures.append(consume failure) }
  mutating func append(identifier: consuming P.Identifier) { identifiers.append(consume identifier) }

  mutating func popProgram() -> P? { programs.popLast() }
  mutating func popFailure() -> P.Failure? { failures.popLast() }
  mutating func popIdentifier() -> P.Identifier? { identifiers.popLast() }

  /// Frees memory that only a very large effect needs; called when everything has been taken.
  mutating func releaseMemoryIfLarge() { if programs.capacity > 1024 { programs = UniqueArray() } }
}
