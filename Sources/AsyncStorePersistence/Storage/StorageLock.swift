import Synchronization

/// The right to write to a storage, until it is released explicitly or with its last reference.
public final class StorageLock: Sendable {
  private let release: Mutex<(@Sendable () -> Void)?>
  private let keepsOthersOut: @Sendable () -> Bool

  /// Creates a lock that is already held.
  ///
  /// - Parameter release: releases the lock; called once.
  public init(release: @escaping @Sendable () -> Void) {
    self.release = Mutex(release)
    keepsOthersOut = { true }
  }

  /// - Parameter keepsOthersOut: returns whether this lock still keeps others out.
  package init(whileTrue keepsOthersOut: @escaping @Sendable () -> Bool, release: @escaping @Sendable () -> Void) {
    self.release = Mutex(release)
    self.keepsOthersOut = keepsOthersOut
  }

  /// True while the lock keeps others out; it no longer does if its file was removed.
  package var isHeld: Bool { release.withLock { $0 != nil } && keepsOthersOut() }

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
