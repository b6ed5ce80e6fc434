import Observation

extension AsyncStore {
  // MARK: Reading

  /// The whole state as it is now.
  ///
  /// A copy: what is committed afterwards does not show in it. For one property read it by its own name, `store.count`.
  public var state: State { read(\.self, areEqual: nil) }

  /// A property of the state as it is now.
  ///
  /// Inside Observation's tracking, in a SwiftUI view for one, the next commit counts as a change of this property; for an
  /// equatable property only one that really changes it does.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: nil)
  }

  /// A property of the state as it is now.
  ///
  /// Inside Observation's tracking only a commit that really changes the property is noticed, unless generic code that did not
  /// know it to be equatable has read it before.
  ///
  /// - Complexity: one lock, and a look through the properties that have been read before; each of these that has not changed
  ///   since costs a comparison at every commit. Until it changes a copy of the value is kept, so that an array that is appended to after each
  ///   reading is copied each time: read such a one with ``withState(_:)``.
  public subscript<Value: Equatable & Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    read(keyPath, areEqual: { $0 == $1 })
  }

  /// Reads several properties of one and the same state, without copying it, and without Observation's tracking.
  ///
  /// - Parameter body: runs under the store's lock; it must not call the store, which traps.
  @inlinable
  public func withState<Result, Failure: Error>(
    _ body: (borrowing State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // What has the caller's types is compiled there, where they are known.
    var result: Swift.Result<Result, Failure>?
    readState { state in
      do throws(Failure) { result = .success(try body(state)) } catch { result = .failure(error) }
    }
    guard let result else { preconditionFailure("the state was not read") }
    return try result.get()
  }

  @usableFromInline
  func readState(_ body: (borrowing State) -> Void) { runtime.readState(body) }

  // MARK: Observation

  /// Reads a value, and tells Observation that it has been read.
  ///
  /// Whether anybody tracks the reading can't be asked. So each property that has been read is compared at each commit until it
  /// changes once; then that is reported, and the property is left alone until it is read again.
  private func read<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> Value {
    let property = trackedProperty(keyPath, areEqual: areEqual)
    property.tellOfAccess(self)
    let (value, isTracked) = runtime.lock { _ in (runtime.storage.pointee[keyPath: keyPath], property.isArmed) }
    // A commit that came in between, before Observation knew of the access, has to be reported once more.
    if !isTracked { property.tellOfChange(self) }
    return value
  }

  private func trackedProperty<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> TrackedProperty<State, Env> {
    let known = runtime.lock { core -> TrackedProperty<State, Env>? in
      let property = tracking?.properties.first { $0.keyPath == keyPath }
      if let property, !property.isArmed { arm(property, &core) }
      return property
    }
    if let known { return known }
    return runtime.lock { core in
      let tracking = tracking ?? Tracking()
      self.tracking = tracking
      let property = TrackedValue(keyPath, areEqual: areEqual, store: self, tracking.registrar)
      tracking.properties.append(property)
      arm(property, &core)
      return property
    }
  }

  private func arm(_ property: TrackedProperty<State, Env>, _ core: inout Core) {
    property.arm(runtime.storage)
    core.observers.append(property)
  }
}

extension AsyncStore: Observable {}

/// What a store knows of the reading of its properties.
///
/// `@unchecked`: the list is touched only while the store's runtime is locked.
final class Tracking<State: Sendable, Env: Sendable>: @unchecked Sendable {
  let registrar = ObservationRegistrar()
  var properties: [TrackedProperty<State, Env>] = []
}

/// A property that has been read and may be tracked by Observation.
///
/// `@unchecked` because its superclass is; what varies, `isArmed`, is touched only while the store's runtime is locked.
class TrackedProperty<State: Sendable, Env: Sendable>: CommitObserver, @unchecked Sendable {
  let keyPath: AnyKeyPath
  /// Whether its next change will be reported.
  fileprivate(set) var isArmed = false

  fileprivate init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

  fileprivate func arm(_ state: UnsafePointer<State>) { preconditionFailure("abstract") }
  fileprivate func tellOfAccess(_ store: AsyncStore<State, Env>) { preconditionFailure("abstract") }
  fileprivate func tellOfChange(_ store: AsyncStore<State, Env>) { preconditionFailure("abstract") }
}

/// `@unchecked` because its superclass is; what varies, `last`, is touched only while the store's runtime is locked.
private final class TrackedValue<State: Sendable, Env: Sendable, Value: Sendable>: TrackedProperty<State, Env>,
  @unchecked Sendable
{
  private weak let store: AsyncStore<State, Env>?
  private let registrar: ObservationRegistrar
  private let value: KeyPath<State, Value> & Sendable
  private let member: KeyPath<AsyncStore<State, Env>, Value>
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?

  init(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: (@Sendable (Value, Value) -> Bool)?,
    store: AsyncStore<State, Env>, _ registrar: ObservationRegistrar
  ) {
    self.registrar = registrar
    value = keyPath
    member = \AsyncStore<State, Env>.[dynamicMember: keyPath]
    self.areEqual = areEqual
    self.store = store
    super.init(keyPath)
  }

  override func arm(_ state: UnsafePointer<State>) {
    if areEqual != nil { last = state.pointee[keyPath: value] }
    isArmed = true
  }

  override func tellOfAccess(_ store: AsyncStore<State, Env>) { registrar.access(store, keyPath: member) }

  override func tellOfChange(_ store: AsyncStore<State, Env>) {
    registrar.withMutation(of: store, keyPath: member) {}
  }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    let state = state.assumingMemoryBound(to: State.self)
    if let last, let areEqual, areEqual(last, state.pointee[keyPath: value]) { return false }
    isArmed = false
    last = nil
    return true
  }

  override var leavesOnceTold: Bool { true }
  // Who looks at the state sees it change also when the store has been inactive in between.
  override var endsWithActivity: Bool { false }
  override func prepare() {}
  override func deliver() { if let store { tellOfChange(store) } }
}
