import Synchronization

/// The right to write to a storage, until it is released or let go of.
public final class StorageLock: Sendable {
  private let release: Mutex<(@Sendable () -> Void)?>

  /// Creates a lock that is held already.
  ///
  /// - Parameter release: gives it back; called once.
  public init(release: @escaping @Sendable () -> Void) { self.release = Mutex(release) }

  /// Gives it back; does nothing the second time.
  public func unlock() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }

  deinit { unlock() }
}
