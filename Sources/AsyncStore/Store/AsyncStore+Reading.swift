import Observation
import Synchronization

extension AsyncStore {
  // MARK: Reading

  /// The whole state as it is now.
  ///
  /// This is a copy, which does not show later commits. Read a single property by its own name, `store.count`.
  public var state: State {
    // Making the key path takes longer than the read.
    guard ensuredTracking.isTracking else { return runtime.lock { _ in Self.state(of: runtime).pointee } }
    return read(\.self, areEqual: nil)
  }

  /// A property of the state as it is now.
  ///
  /// Inside Observation's tracking, for example in a SwiftUI view, the next commit counts as a change of this property;
  /// for an equatable stored property only a commit that changes it does.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: nil)
  }

  /// A property of the state as it is now.
  ///
  /// Inside Observation's tracking the first commit that changes a stored property is reported, once, to every reader
  /// that has read it before; a commit that leaves it equal is not. A value computed by a getter, a subscript or an
  /// optional chain is not computed again for that, since it may be out of bounds by then: each commit counts as a
  /// change of it.
  ///
  /// - Complexity: that of the key path, and one lock. A read that is not tracked leaves nothing behind. While a
  ///   property is tracked, each commit compares it with a copy. So an array that is appended to after each tracked
  ///   read is copied each time; read such an array with ``withState(_:)``.
  public subscript<Value: Equatable & Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: isSame)
  }

  /// Reads several properties of one and the same state, without copying it, and without Observation's tracking.
  ///
  /// - Parameter body: runs under the store's lock; it must not call the store, which traps.
  @inlinable
  public func withState<Result, Failure: Error>(
    _ body: (borrowing State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Code with the caller's types is compiled there, where they are known.
    var result: Swift.Result<Result, Failure>?
    // Two closures, because one that is kept for both would be an object.
    let isRead = runtime.readIfAvailable { state in
      result = Self.answer(of: body, state.assumingMemoryBound(to: State.self))
    }
    if !isRead { readState { result = Self.answer(of: body, $0) } }
    guard let result else { preconditionFailure("the state was not read") }
    return try result.get()
  }

  @inlinable
  @inline(__always)
  static func answer<Result, Failure: Error>(
    of body: (borrowing State) throws(Failure) -> Result, _ state: UnsafeMutablePointer<State>
  ) -> Swift.Result<Result, Failure> {
    do throws(Failure) { return .success(try body(state.pointee)) } catch { return .failure(error) }
  }

  @usableFromInline
  func readState(_ body: (UnsafeMutablePointer<State>) -> Void) { runtime.lock { _ in body(Self.state(of: runtime)) } }

  /// Reads by a key path that answers for every state, and so may be computed again to compare its value.
  ///
  /// - Parameter source: the stored property that the whole value is computed from, if there is only one.
  package func read<Value: Equatable & Sendable>(
    total keyPath: KeyPath<State, Value> & Sendable, from source: TrackedSource<State>?
  ) -> Value {
    read(keyPath, areEqual: isSame, isTotal: true, from: source)
  }

  // MARK: Observation

  private var ensuredTracking: Tracking { tracking.load() ?? tracking.storeIfNil(Tracking()) }

  private func read<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: ValueComparison<Value>?, isTotal: Bool = false,
    from source: TrackedSource<State>? = nil
  ) -> Value {
    let tracking = ensuredTracking
    guard tracking.isTracking else { return runtime.lock { _ in Self.state(of: runtime).pointee[keyPath: keyPath] } }
    let (value, path) = readTracked(keyPath, areEqual: areEqual, isTotal: isTotal, from: source, tracking)
    // A change that comes first, before Observation knows of the access, is reported once the observer is installed.
    tracking.access(path)
    return value
  }

  /// - Returns: the value, and a key path that Observation has to hold for as long as it tracks it.
  private func readTracked<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: ValueComparison<Value>?, isTotal: Bool,
    from source: TrackedSource<State>?, _ tracking: Tracking
  ) -> (Value, Tracking.Path) {
    var group: TrackedGroup?
    let known = runtime.lock { core in
      group = source.map { core.observers.group(of: $0) }
      let property = group == nil ? core.observers.tracked(keyPath) : group?.members.tracked(keyPath)
      return property?.trackedPath.map { (Self.state(of: runtime).pointee[keyPath: keyPath], $0) }
    }
    if let known { return known }
    // Outside the lock, because it takes microseconds. Another thread may do the same meanwhile; then there are two
    // tracked properties, and each is right.
    let property = TrackedValue(keyPath, areEqual: areEqual, isTotal: isTotal, in: group, tracking, runtime)
    let path = property.track()
    // Released after the lock, because its content belongs to the user.
    var outdated: SourceCopy?
    let value = runtime.lock { core in
      let value = Self.state(of: runtime).pointee[keyPath: keyPath]
      property.remember(value)
      outdated = core.append(property, readFrom: runtime.content.state)
      return value
    }
    return withExtendedLifetime(outdated) { (value, path) }
  }
}

extension AsyncStore: Observable {}
