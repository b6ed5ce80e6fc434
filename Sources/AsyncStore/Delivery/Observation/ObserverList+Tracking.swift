/// The properties that Observation tracks, individually or in a group of properties computed from one source.
extension ObserverList {
  /// Adds a tracked property that has just been read, to its group if it has one.
  ///
  /// - Returns: the copy to release after the lock.
  mutating func append(_ property: TrackedProperty, readFrom state: UnsafeRawPointer) -> SourceComparison? {
    guard let group = property.group else {
      append(property)
      return nil
    }
    let copy = group.append(property, readFrom: state)
    if group.isListed { return copy }
    group.isListed = true
    groups.append(group)
    return copy
  }

  /// Returns the group of the properties computed from a source, or a new group that is not in the list yet.
  ///
  /// - Complexity: linear in the number of groups, which is the number of stored properties that are sources.
  func group<State>(of source: TrackedSource<State>) -> TrackedGroup {
    groups.firstIndex { $0.id == source.id }.map { groups[$0] } ?? TrackedGroup(source)
  }

  /// Returns the observer through which Observation already tracks a property, if there is one.
  ///
  /// - Complexity: that of hashing the key path.
  func tracked(_ keyPath: AnyKeyPath) -> TrackedProperty? {
    tracked?[keyPath]?.takeUnretainedValue() as? TrackedProperty
  }

  /// Removes a tracked property, from its group if it has one.
  ///
  /// - Returns: the copy to release after the lock.
  mutating func remove(tracked property: TrackedProperty, _ deliveries: inout DeliveryQueue) -> SourceComparison? {
    guard let group = property.group else {
      remove(property, &deliveries)
      return nil
    }
    let copy = group.remove(property, &deliveries)
    if group.members.isEmpty { removeEmptyGroups() }
    return copy
  }

  private mutating func removeEmptyGroups() {
    groups.removeAll { group in
      guard group.members.isEmpty else { return false }
      group.isListed = false
      return true
    }
  }

  /// Compares the groups with the state, after the observers.
  mutating func noteGroups(
    _ state: UnsafeRawPointer, _ deliveries: inout DeliveryQueue, in wrapper: DeliveryWrapper?
  ) {
    var haveEmptyOnes = false
    for index in 0..<groups.count {
      let group = groups[index]
      group.note(state, &deliveries, in: wrapper)
      haveEmptyOnes = haveEmptyOnes || group.members.isEmpty
    }
    if haveEmptyOnes { removeEmptyGroups() }
  }
}
