import Synchronization

/// A mutex that traps if code under its lock locks it again, where a plain one would wait forever.
package struct CheckedMutex<Value>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  /// The thread that holds the lock; 0 for none.
  private let owner = Atomic<UInt>(0)

  package init(_ value: sending Value) { mutex = Mutex(value) }

  /// Calls `body` while no other thread does.
  ///
  /// - Parameter message: what was wrong and what to do, if this thread already holds the lock.
  package borrowing func withLock<Result>(
    _ message: @autoclosure () -> String, _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    let thread = Thread.current
    trap(unless: owner.load(ordering: .relaxed) != thread, message())
    return try mutex.withLock { value in
      owner.store(thread, ordering: .relaxed)
      defer { owner.store(0, ordering: .relaxed) }
      return try body(&value)
    }
  }
}
