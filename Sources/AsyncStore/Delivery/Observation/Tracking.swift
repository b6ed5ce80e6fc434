import Observation

/// The subject of a store's reports to Observation, of reads and of changes.
///
/// Observation does not tell whether anybody tracks. But it holds the key path of an access for as long as it may have
/// to report a change, and a key path holds the arguments of its subscripts. So an access uses a key path of this class
/// whose argument, a ``TrackedRead``, lives exactly as long as somebody tracks what was read.
final class Tracking: Observable, Sendable {
  typealias Path = KeyPath<Tracking, Void>

  let registrar = ObservationRegistrar()
  private static let probe = TrackedRead(nil)
  // One for all stores, because making a key path takes longer than the first read of a store.
  private static let probing = path(of: probe)

  subscript(read: TrackedRead) -> Void { () }

  static func path(of read: TrackedRead) -> Path & Sendable { \Tracking.[read] }

  func access(_ path: Path) { registrar.access(self, keyPath: path) }

  /// Reports a change that has been made, so that a read right afterwards finds the new value.
  func reportChange(of path: Path) { registrar.withMutation(of: self, keyPath: path) {} }

  /// True if reads on this thread are being tracked.
  ///
  /// An access is hashed if it is noted. If another thread's access comes in between, also to another store, the answer
  /// may be `true` though nobody tracks on this one.
  var isTracking: Bool {
    let count = Self.probe.hashCount
    access(Self.probing)
    return Self.probe.hashCount != count
  }
}
