import Synchronization

/// The right to write to a storage, until it is released explicitly or with its last reference.
public final class StorageLock: Sendable {
  private let release: Mutex<(@Sendable () -> Void)?>

  /// Creates a lock that is held already.
  ///
  /// - Parameter release: releases the lock; called once.
  public init(release: @escaping @Sendable () -> Void) { self.release = Mutex(release) }

  /// Releases the lock; a second call does nothing.
  public func unlock() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }

  deinit { unlock() }
}
