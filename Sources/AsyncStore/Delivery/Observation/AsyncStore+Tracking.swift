import Observation
import Synchronization

/// Reads that Observation tracks.
extension AsyncStore {
  /// Reads through a key path that has a value in every state, and so may be evaluated again to compare its value.
  ///
  /// - Parameter source: the stored property that alone determines the value, if there is one.
  package func read<Value: Equatable & Sendable>(
    total keyPath: KeyPath<State, Value> & Sendable, from source: TrackedSource<State>?
  ) -> Value {
    read(keyPath, areEqual: isSame, isTotal: true, from: source)
  }

  var ensuredTracking: Tracking { tracking.load() ?? tracking.storeIfNil(Tracking()) }

  func read<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: ValueComparison<Value>?, isTotal: Bool = false,
    from source: TrackedSource<State>? = nil
  ) -> Value {
    let tracking = ensuredTracking
    guard tracking.isTracking else { return runtime.lock { _ in Self.state(of: runtime).pointee[keyPath: keyPath] } }
    let (value, path) = readTracked(keyPath, areEqual: areEqual, isTotal: isTotal, from: source, tracking)
    // If a change comes before Observation knows of the access, it is reported once the observer is installed.
    tracking.access(path)
    return value
  }

  /// - Returns: the value, and a key path that Observation has to hold while it tracks the value.
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
    // tracked properties, and both are correct.
    let property = TrackedValue(keyPath, areEqual: areEqual, isTotal: isTotal, in: group, tracking, runtime)
    let path = property.track()
    // Released after the lock, because its content belongs to the user.
    var outdated: SourceComparison?
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
