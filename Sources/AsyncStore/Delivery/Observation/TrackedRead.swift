import Synchronization

/// A token that lives as long as Observation tracks one read of a property.
final class TrackedRead: Hashable, Sendable {
  private let property: TrackedProperty?
  private let hashes = Atomic<Int>(0)
  /// The number of times it was hashed, if it has no property.
  var hashCount: Int { hashes.load(ordering: .relaxed) }

  init(_ property: TrackedProperty?) { self.property = property }

  deinit { property?.leave() }

  static func == (left: TrackedRead, right: TrackedRead) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
    if let property { property.wasHashed() } else { hashes.add(1, ordering: .relaxed) }
  }
}
