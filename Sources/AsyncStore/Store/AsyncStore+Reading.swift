import Observation
import Synchronization

extension AsyncStore {
  // MARK: Reading

  /// The whole current state.
  ///
  /// This is a copy that does not show later commits. Read a single property by its own name, `store.count`.
  public var state: State {
    // Creating the key path takes longer than the read.
    guard ensuredTracking.isTracking else { return runtime.lock { _ in Self.state(of: runtime).pointee } }
    return read(\.self, areEqual: nil)
  }

  /// A property of the current state.
  ///
  /// Inside Observation's tracking, for example in a SwiftUI view, the next commit counts as a change of this property.
  /// For an equatable stored property, only a commit that changes it does.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: nil)
  }

  /// A property of the current state.
  ///
  /// Inside Observation's tracking, the first commit that changes a stored property is reported, once, to every reader
  /// that read it before; a commit that leaves it equal is not. A value computed by a getter, a subscript or an
  /// optional chain is not computed again for this, since it may be out of bounds by then: each commit counts as a
  /// change of it.
  ///
  /// - Complexity: that of the key path, and one lock. A read that is not tracked leaves nothing behind. While a
  ///   property is tracked, each commit compares it with a copy. So an array that is appended to after each tracked
  ///   read is copied each time; read such an array with ``withState(_:)``.
  public subscript<Value: Equatable & Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: isSame)
  }

  /// Reads several properties of the same state, without copying it, and without Observation's tracking.
  ///
  /// - Parameter body: runs under the store's lock; it must not call the store, which traps.
  @inlinable
  public func withState<Result, Failure: Error>(
    _ body: (borrowing State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Code with the caller's types is compiled in the client, where they are known.
    var result: Swift.Result<Result, Failure>?
    // Two closures, because a single closure stored for both would be an object.
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
}
