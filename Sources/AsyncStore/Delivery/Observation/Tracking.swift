import Observation

/// The object through which a store reports reads and changes to Observation.
///
/// Observation does not reveal whether anybody is tracking. But it holds the key path of an access while it may have to
/// report a change, and a key path holds the arguments of its subscripts. So an access uses a key path of this class
/// whose argument, a ``TrackedRead``, lives exactly as long as somebody tracks the value that was read.
final class Tracking: Observable, Sendable {
  typealias Path = KeyPath<Tracking, Void>

  let registrar = ObservationRegistrar()
  private static let probe = TrackedRead(nil)
  // Shared by all stores, because creating a key path takes longer than the first read of a store.
  private static let probing = path(of: probe)

  subscript(read: TrackedRead) -> Void { () }

  static func path(of read: TrackedRead) -> Path & Sendable { \Tracking.[read] }

  func access(_ path: Path) { registrar.access(self, keyPath: path) }

  /// Reports a change that has already been made, so that a read right afterwards finds the new value.
  func reportChange(of path: Path) { registrar.withMutation(of: self, keyPath: path) {} }

  /// True if reads on this thread are being tracked.
  ///
  /// An access that is recorded is also hashed. If another thread's access comes in between, possibly to another store,
  /// the answer may be `true` although nobody tracks on this thread.
  var isTracking: Bool {
    let count = Self.probe.hashCount
    access(Self.probing)
    return Self.probe.hashCount != count
  }
}
